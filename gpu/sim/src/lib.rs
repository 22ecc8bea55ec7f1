//! A SIMT interpreter that runs PTX on the CPU and checks every access.

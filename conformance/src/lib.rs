//! Makes cases from matrix.yaml, runs them on a device and on the oracle, judges and reports.

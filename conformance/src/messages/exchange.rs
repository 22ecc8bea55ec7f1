//! Error messages of memory exchange and user-defined kernels.

use cuprum::{DType, ElementwiseKernel, ReductionKernel, arange};

use super::messages;

messages! {
    "Memory and kernels of the user's" {
        arange(0, 4, 1)?.part_of_memory(40, DType::I64, &[1], None)
            => "part_of_memory: 8 bytes of int64 elements of shape (1,) from 40 on leave the 32 bytes of the memory",
            "Count the offset from the beginning of the allocation, in bytes.";
        arange(0, 4, 1)?.part_of_memory(4, DType::F32, &[2], Some(&[4, 4]))
            => "part_of_memory: 2 strides are given for the 1 axes of shape (2,)",
            "Give one for each axis, or none for C order.";
        ElementwiseKernel::new("x", "T y", "y = x", ())
            => "ElementwiseKernel: the parameter \"x\" is not a type and a name: write a type and a name, `float32 x`, `T y`, or \
                `raw T z` for a whole array",
            "Write `T x`.";
        ElementwiseKernel::new("T i", "T y", "y = i", ())
            => "ElementwiseKernel: the parameter \"T i\" has the name i, which the kernel has itself: write a type and a name, \
                `float32 x`, `T y`, or `raw T z` for a whole array",
            "Take another name than `i` and what begins with `_`.";
        ReductionKernel::new("T x", "T y, T z", "x", "a + b", "y = a", "0", ())
            => "ReductionKernel: 2 outputs are declared: a reduction has one, which is not raw",
            "Write a kernel for each.";
    }
}

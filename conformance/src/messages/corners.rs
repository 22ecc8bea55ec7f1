//! Error messages in rare cases of indexing, manipulation and functional programming.

use cuprum::{
    Array, DType, GridAxis, Piece, apply_along_axis, array, diag, mgrid, ones, piecewise, repeat, s, split, ufunc,
    zeros,
};

use super::messages;

messages! {
    "Corners" {
        mgrid([GridAxis::new(5, 0), GridAxis::new(0, 3)])
            => "mgrid: axis 0 runs from Int(5) away from Int(0): turn the sign of its step",
            "`ogrid` makes no numbers of it.";
        apply_along_axis(|line| line.index(s![..line.index(s![0])?.item::<i32>()? as i64]), 1, array([[1, 2], [2, 1]])?)
            => "apply_along_axis: the function gave the shape (1,) first and (2,) later",
            "The function gives the same shape each time.";
        piecewise(array([1.0])?, Vec::<Array>::new(), [Piece::value(1.0)])
            => "piecewise: there is no condition",
            "Give a condition.";
        ufunc("add")?.at(zeros(3, ())?, Vec::<Array>::new(), 1)
            => "add.at: an array of indices is needed",
            "One array of indices for each axis.";
        ufunc("add")?.at(zeros(3, ())?, [array(true)?], 1)
            => "add.at: a mask of shape () indexes no axis",
            "A mask has the first axes of the array.";
        diag(ones([2, 2, 2], ())?, 0)
            => "diag: an array of shape (2, 2, 2) is neither a diagonal nor a matrix: `diagonal` takes stacks of matrices, `diagflat` the elements of any array",
            "`diagonal` takes stacks.";
        repeat(ones(2, ())?, ones([2, 1], DType::I64)?, 0)
            => "repeat: numbers of repetitions of shape (2, 1) have too many axes: one is needed",
            "`ravel` them.";
        split(ones(2, ())?, 0, ())
            => "split: an axis cannot be cut into no parts",
            "One part is the array itself.";
    }
}

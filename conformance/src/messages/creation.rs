//! Error messages of `fromfunction`, grids, index arrays and selection.

use cuprum::num_complex::Complex64;
use cuprum::{
    Array, DType, FrombufferOptions, FromstringOptions, GridAxis, IndexMode, LinspaceOptions, Order, RavelOptions,
    Requirement, UnravelOptions, arange, array, asarray_chkfinite, choose, diag, diag_indices_from, fill_diagonal,
    frombuffer, fromiter, fromstring, geomspace, ix_, linspace, mgrid, ones, place, ravel_multi_index, require, select,
    tril, tril_indices_from, unravel_index, vander, zeros,
};

use super::messages;

messages! {
    "Arrays made of their indices" {
        linspace(0, 1, LinspaceOptions::new().axis(1))
            => "linspace: axis 1 is out of bounds for an array of 1 axes",
            "Between two numbers there is one axis.";
        linspace(0, Complex64::new(0.0, 1.0), LinspaceOptions::new().dtype(DType::I32))
            => "linspace: complex numbers cannot be rounded down to int32: take their real part",
            "Say a complex dtype, or none.";
        geomspace(0, 1, 5)
            => "geomspace: an end is 0: no ratio leads there",
            "Begin close to 0, or take linspace.";
        tril(ones((), ())?, 0)
            => "tril: an array of shape () is no matrix: reshape((1, 1)) makes it one",
            "A matrix has two axes.";
        diag(ones([2, 2, 2], ())?, 0)
            => "diag: an array of shape (2, 2, 2) is neither a diagonal nor a matrix: `diagonal` takes stacks of matrices, \
                `diagflat` the elements of any array",
            "Take `diagonal` or `diagflat`.";
        vander(ones([2, 2], ())?, ())
            => "vander: the numbers, of shape (2, 2), must have one axis",
            "`ravel` puts them on one.";
        mgrid([GridAxis::new(0, 5).step(0)])
            => "mgrid: from 0 to 5 by 0: the step cannot be 0",
            "A grid needs a step; `points` says how many numbers there are.";
        mgrid([GridAxis::new(0, Complex64::new(0.0, 1.0))])
            => "mgrid: the ends of a grid are real: `points` says how many numbers there are",
            "What NumPy writes as an imaginary step is `points`.";
    }
    "Arrays made of what there is" {
        asarray_chkfinite(array([1.0, f64::INFINITY])?, ())
            => "asarray_chkfinite: an element is infinite or NaN: `nan_to_num` replaces those",
            "Look for them with `isfinite`.";
        require(ones([2, 2], ())?, None, [Requirement::C, Requirement::F])
            => "require: an array cannot be required in the orders C and F at once",
            "Say one of them.";
        frombuffer([1, 2, 3], DType::I16)
            => "frombuffer: 3 bytes are no whole number of elements of int16: `count` says how many",
            "Say how many elements are wanted.";
        frombuffer([1, 2, 3], FrombufferOptions::new().dtype(DType::U8).offset(4))
            => "frombuffer: the offset 4 is beyond the end of 3 bytes",
            "The offset is counted in bytes.";
        frombuffer([1, 2, 3], FrombufferOptions::new().dtype(DType::U8).count(5))
            => "frombuffer: 5 elements of uint8 are more than the 3 bytes that are there",
            "Request fewer.";
        fromiter(0..3, 5)
            => "fromiter: 5 elements are expected, the iterator has 3",
            "`None` takes what there is.";
        fromstring("1 2", "", ())
            => "fromstring: an empty separator would read bytes: `frombuffer` does",
            "Pass the separator of the numbers.";
        fromstring("1, two", ",", ())
            => "fromstring: at byte 3 there is \"two\", which is no number of float64",
            "Only numbers and the separator are read.";
        fromstring("1 2", ",", ())
            => "fromstring: at byte 1 there is \"2\" and not the separator \",\"",
            "Say the separator that the text has.";
        fromstring("1 2", " ", FromstringOptions::new().count(3))
            => "fromstring: 3 numbers are expected, the text has 2",
            "Without `count` all are read.";
    }
    "Indices and choices" {
        diag_indices_from(ones([2, 3], ())?)
            => "diag_indices_from: an array of shape (2, 3) has no diagonal: it has two axes or more, of one length",
            "`diag_indices` takes the length.";
        tril_indices_from(ones(3, ())?, 0)
            => "tril_indices_from: an array of shape (3,) is no matrix of two axes",
            "`tril_indices` takes the rows.";
        ix_([ones([2, 2], DType::I64)?])
            => "ix_: indices that cross have one axis each, not shape (2, 2)",
            "`ravel` puts them on one.";
        ravel_multi_index([array([1])?], [2, 3], ())
            => "ravel_multi_index: 1 indices are given, a shape of 2 axes has one for each",
            "Give an index for each axis.";
        ravel_multi_index([array([1])?, array([3])?], [2, 3], ()).and_then(|a| a.to_vec::<i64>())
            => "ravel_multi_index: index 3 at position 0 is out of bounds for axis 1 with size 3",
            "Negative ones are out of bounds, too; `mode` wraps or clips.";
        ravel_multi_index([array([1])?, array([2])?], [2, 3], [IndexMode::Wrap; 3])
            => "ravel_multi_index: 3 modes are given for 2 axes: there is one for all or one for each",
            "Give one, or one for each.";
        ravel_multi_index([array([1])?, array([2])?], [2, 0], IndexMode::Wrap)
            => "ravel_multi_index: an array of shape (2, 0) has no elements to count",
            "Every axis has at least one element.";
        ravel_multi_index([array([1.0])?], [2], ())
            => "ravel_multi_index: indices are integers, not float64: cast them with `astype`",
            "Cast them.";
        ravel_multi_index([array([1])?], [2], RavelOptions::new().order(Order::K))
            => "ravel_multi_index: elements are counted in order C or F, not K",
            "Say C or F.";
        unravel_index(array([6])?, [2, 3], ()).and_then(|a| a[0].to_vec::<i64>())
            => "unravel_index: index 6 at position 0 is out of bounds for axis 0 with size 6",
            "Numbers run from 0.";
        unravel_index(array([0])?, (), UnravelOptions::new())
            => "unravel_index: numbers of shape (1,) do not count the one element of an array of shape ()",
            "Its only number is 0, without axes.";
        unravel_index(array([0])?, [1i64 << 40, 1 << 40], ())
            => "unravel_index: an array of shape (1099511627776, 1099511627776) has more elements than int64 counts",
            "Count along fewer axes.";
        fill_diagonal(zeros(3, ())?, 1, ())
            => "fill_diagonal: an array of shape (3,) has no diagonal: it has two axes, or more of one length",
            "Reshape to rows and columns first.";
        choose(array([0, 2])?, [array([1, 2])?, array([3, 4])?], ()).and_then(|a| a.to_vec::<i32>())
            => "choose: index 2 at position 1 is out of bounds for axis 0 with size 2",
            "`mode` wraps or clips.";
        choose(array([0.0])?, [array([1])?], ())
            => "choose: float64 is not cast safely to int64, in which arrays are counted: use astype",
            "Cast the index.";
        choose(array([0])?, Vec::<Array>::new(), ())
            => "choose: 0 arrays are given to choose from: there are 1 to 63",
            "Give one or more.";
        choose(array([0])?, [array([1])?], cuprum::ChooseOptions::new().out(&zeros(2, ())?))
            => "choose: out, of shape (2,), is not of the result's shape (1,)",
            "Make `out` of that shape.";
        select([array([1])?], [array([1])?], ())
            => "select: condition 0 is of int32: conditions are boolean",
            "Compare first: `not_equal(c, 0)`.";
        select([array([true])?], [1, 2], ())
            => "select: 1 conditions have 2 choices: each has one",
            "Give as many of the one as of the other.";
        select(Vec::<Array>::new(), [1; 0], ())
            => "select: there are no conditions to select by",
            "Give one or more.";
        place(zeros(3, ())?, array([true])?, array([1.0])?)
            => "place: a mask of shape (1,) has not as many elements as an array of shape (3,)",
            "Broadcast the mask first.";
        place(zeros(1, DType::I32)?, array([true])?, array([1.5])?)
            => "place: float64 is not cast safely to int32: use astype",
            "Cast the values.";
        place(zeros(1, DType::I32)?, array([true])?, arange(0, 0, 1)?.astype(DType::I32)?)
            => "place: there are no values to place",
            "Give one or more.";
        zeros([2, 2], ())?.flat().get(4)
            => "flat.get: 4 is out of bounds for 4 elements",
            "Elements are counted from 0, or from -1 at the end.";
        zeros([2, 2], ())?.flat().set(0, array([1.0, 2.0])?)
            => "flat.set: one element cannot be an array of shape (2,)",
            "A range takes several.";
        zeros([2, 2], ())?.flat().put(array([true])?, 1)
            => "flat.put: a mask of shape (1,) does not go with 4 elements",
            "A mask has as many elements as the array.";
    }
}

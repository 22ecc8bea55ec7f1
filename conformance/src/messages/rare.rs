//! Rare error messages: sizes beyond any memory, arguments that only a call by name can have, and unusual files.

use cuprum::table::{Arguments, Value, find};
use cuprum::{
    Axes, Block, Columns, DType, Estimator, GenfromtxtOptions, HistogramOptions, Index, MmapMode, Operand, Piece,
    QuantileMethod, QuantileOptions, Quantiles, arange_of, array, block, concatenate, cross, delete, einsum, fromfile,
    genfromtxt_from, histogram, histogramdd, insert, loadtxt, ones, pad, percentile, piecewise, putmask, quantile,
    savetxt_to, savez, select, unwrap, zeros,
};

use super::messages;

messages! {
    "Sizes beyond memory" {
        arange_of(-1, u64::MAX, 1, DType::I64)
            => "arange: from -1 to 18446744073709551615 by 1: an array cannot have this many elements",
            "Work on parts that fit in memory.";
        concatenate(vec![zeros(1, DType::Bool)?.broadcast_to([i64::MAX])?; 3], 0)
            => "concatenate: the arrays have more elements along axis 0 than can be addressed",
            "Work on parts that fit in memory.";
        pad(zeros(2, DType::Bool)?, i64::MAX, ())
            => "pad: an array of shape (2,) with [(9223372036854775807, 9223372036854775807)] around it cannot be addressed",
            "Work on parts that fit in memory.";
        histogramdd(ones([1, 65], ())?, ())
            => "histogramdd: points cannot have 65 coordinates",
            "An array has at most 64 axes, and so has a histogram.";
        histogramdd(ones([1, 10], ())?, 100)
            => "histogramdd: there are more bins than can be numbered: (102, 102, 102, 102, 102, 102, 102, 102, 102, 102)",
            "Fewer coordinates, or fewer bins for each.";
        histogramdd(array([-1.7e308, 1.7e308])?, 3)
            => "histogramdd: the range from -1.7e308 to 1.7e308 is larger than the largest number: there are no edges",
            "Give a range.";
        histogram(array([0.0, 1e-9, 2e-9, 3e-9])?, HistogramOptions::from(Estimator::Sturges).range((0.0, 1e300)))
            => "histogram: the rule yields inf bins",
            "A rule goes by all elements: leave the range out, or say how many bins.";
    }
    "Rarely rejected" {
        cross(array([true, false, true])?, array([true, true, true])?, ())
            => "cross: booleans have no differences: cast them to integers first",
            "`astype(DType::I8)`.";
        unwrap(array(1.0)?, ())
            => "unwrap: an array without axes has no neighbours",
            "`reshape` it to one axis.";
        unwrap(array([true, false])?, cuprum::UnwrapOptions::new().period(true))
            => "unwrap: booleans have no differences: give a period that is a number",
            "`period(1)`.";
        einsum("ii", [ones([1, 3], ())?], ())
            => "einsum: the subscript Letter('i') labels axes of different lengths of one operand",
            "A diagonal is of axes of one length.";
        select([array([true])?, array([true])?], [Operand::from(&array([1u8])?), Operand::from(5)], ())
            => "select: a choice of int64 cannot become uint8, which is what all are",
            "Cast the choices to one dtype.";
        piecewise(array([1.0, 2.0])?, [array([true, false])?], [Piece::function(|_| ones(2, ()))])
            => "piecewise: values of shape (2,) do not fill the (1,) elements of their condition",
            "The function gives one value, or as many as it is given.";
        insert(ones(3, ())?, 0, ones([2, 2], ())?, ())
            => "insert: values of shape (2, 2) do not fit where (2,) are inserted",
            "Values are broadcast to the shape of what is inserted.";
        ones(3, ())?.flat().get(array([0])?)
            => "flat.get: one number or a range is expected: for several indices there are flat.take and flat.put",
            "`flat().take(indices)`.";
        ones(3, ())?.flat().get(Index::NewAxis)
            => "flat.get: a flat array has one axis and takes no other",
            "`ravel()?.expand_dims(0)` has two.";
        putmask(array([1i8])?, array([true])?, array([1.5])?)
            => "putmask: values of float64 are not cast to int8 under the rule Safe: use astype, or copyto",
            "`copyto` takes a rule.";
        insert(ones(3, ())?, &array([[true, false, true]])?, 0, ())
            => "insert: a mask of shape (1, 3) does not index a single axis: it must be 1-D",
            "`ravel` the mask.";
        delete(ones(3, ())?, &array([[0]])?, ())
            => "delete: an index array of shape (1, 1) has several axes: it must be 1-D",
            "`ravel` them.";
        delete(ones(3, ())?, &array([0.5])?, ())
            => "delete: indices are integers, not float64",
            "`astype(DType::I64)`.";
        block(Vec::<Block>::new())
            => "block: a list of blocks is empty: each needs one at least",
            "Leave the list out.";
        pad(zeros(2, ())?, 0.5, ())
            => "pad: the width is Float(0.5): it must be an integer",
            "Numbers of elements are whole.";
        quantile(array([1.0])?, Quantiles::from_array(zeros([1, 1, 1], ())?)?, ())
            => "quantile: quantiles have at most two axes",
            "`ravel` them.";
        percentile(zeros([0, 3, 2], ())?, 50, QuantileOptions::from(Axes::from([1, 2])))
            => "percentile: no lines have no length",
            "Ask `is_empty` first.";
        quantile(ones([2, 3], ())?, 0.5, QuantileOptions::new().method(QuantileMethod::InvertedCdf).weights(&ones(3, ())?))
            => "quantile: weights of another shape need an axis",
            "Name the axis that the weights are along.";
    }
    "Corners of files" {
        fromfile("Cargo.toml", cuprum::FromfileOptions::new().sep(",").offset(1))
            => "fromfile: an offset goes with a file of bytes: with sep the file is a text",
            "Skip the preceding bytes with a reader of your own.";
        "w+".parse::<MmapMode>()
            => "\"w+\" is no mode of mapping a file; they are r, r+, c",
            "A file that is mapped is there already.";
        savez("twice", [("a", array([1])?), ("a", array([2])?)])
            => "savez: two arrays are called \"a\": rename one",
            "Names are those of files in an archive.";
        loadtxt("numbers.txt.xz", ())
            => "loadtxt: numbers.txt.xz is compressed by xz: unpack it first",
            "`unxz numbers.txt.xz`; gzip is read as it is.";
        genfromtxt_from("1".as_bytes(), GenfromtxtOptions::new().comments(""))
            => "genfromtxt_from: a comment begins with something: to have none, give None",
            "`comments(None)`.";
        genfromtxt_from("1".as_bytes(), GenfromtxtOptions::new().delimiter(Columns::from("")))
            => "genfromtxt_from: the delimiter is empty: Columns::Blanks parts fields by blanks",
            "`Columns::Blanks` is what there is by default.";
        savetxt_to(vec![], array([f64::NAN])?, "%d")
            => "savetxt_to: %d writes integers, which NaN has none of: write it with %g",
            "`%g` writes what is not finite.";
    }
    "Calls by name" {
        find("numpy.einsum")?.call(&Arguments::new(["i".into(), Value::List(vec![array([1])?.into()])]).with("optimize", "fast"))
            => "einsum: the parameter `optimize`: there is no path called \"fast\"; pass greedy, optimal or a list of positions",
            "One of the names.";
        find("numpy.matmul")?.call(&Arguments::new([ones([2, 2], ())?.into(), ones([2, 2], ())?.into()]).with("axes", 3))
            => "matmul: the parameter `axes`: axes are a list with an entry for each array, not 3",
            "The axes of both operands and of the result.";
        find("numpy.pad")?.call(&Arguments::new([ones(2, ())?.into(), "one".into()]))
            => "pad: the parameter `pad_width`: a number, two or two of each axis are expected, not 'one'",
            "Give what the parameter takes.";
        find("numpy.typename")?.call(&Arguments::new(["ff".into()]))
            => "typename: char is one character, not \"ff\"",
            "NumPy's character of a dtype.";
        find("numpy.load")?.call(&Arguments::new(["numbers.npy".into()]).with("mmap_mode", "w+"))
            => "load: mmap_mode is \"w+\": there are r, r+ and c",
            "A file that is mapped is there already.";
        find("numpy.savez")?.call(&Arguments::new(["two".into(), Value::List(vec![])]).with("kwds", Value::List(vec!["a".into()])))
            => "savez: 1 names are more than the 0 arrays",
            "A name for each of the last arrays.";
    }
}

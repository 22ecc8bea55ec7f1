//! Error messages of functions over many elements.

use cuprum::{
    Array, AtOrder, CoreAxes, DType, DiffOptions, FoldOptions, GeneralizedUfunc, GradientOptions, GufuncOptions,
    Reduce, SortKind, TrapezoidOptions, UfuncOptions, UniqueOptions, any, argmax, array, cumsum, cumulative_sum, diff,
    ediff1d, gradient, lexsort, linalg, max, mean, nanargmax, nanmean, ones, partition, ptp, reduction, sort, std, sum,
    trapezoid, ufunc, unique, zeros,
};

use super::messages;

messages! {
    "Reductions and scans" {
        std(array([1.0])?, Reduce::all().out(zeros((), DType::I64)?))
            => "std: a root, which is a float, does not fit in an out of int64",
            "Give an `out` of floats.";
        nanmean(array([1.0])?, Reduce::all().dtype(DType::I32))
            => "nanmean: dtype of int32 does not hold a mean of floats",
            "Cast the result.";
        max(zeros([0, 3], ())?, 0)
            => "max: an array of shape (0, 3) has no elements to choose from: say what to begin with by Reduce::initial",
            "`Reduce::axis(0).initial(0)` says what the result begins with.";
        argmax(zeros(0, ())?, ())
            => "argmax: an array of shape (0,) has no elements to choose from",
            "Ask `is_empty` first.";
        argmax(ones([2, 3], ())?, (0, 1))
            => "argmax: positions are found along one axis or over all, not along several",
            "`reshape` the axes to one, or name none.";
        nanargmax(array([f64::NAN])?, ())
            => "nanargmax: a line of the array holds nothing but NaN",
            "Look for NaN with `isnan` first.";
        max(array([1, 2])?, Reduce::all().where_(array([true, false])?))
            => "max: a mask may leave no element: say what to begin with by Reduce::initial",
            "`initial` says what the result begins with.";
        sum(array([1, 2])?, Reduce::all().where_(array([1, 0])?))
            => "sum: a mask is of bool, as comparisons give it, not of int32",
            "Compare: `mask.not_equal(0)?`.";
        argmax(array([1, 2])?, Reduce::all().where_(array([true, false])?))
            => "argmax: it takes no mask: positions are found among all elements",
            "Give what does not count another value with `where_`.";
        any(array([1, 2])?, Reduce::all().dtype(DType::F32))
            => "any: the result's dtype is fixed, it cannot be float32",
            "Cast the result.";
        mean(array([1, 2])?, Reduce::all().initial(1))
            => "mean: it takes no initial value",
            "`sum` takes it.";
        sum(array([1, 2])?, Reduce::all().mean(array([1])?))
            => "sum: it takes no mean: var and std do",
            "`var` and `std` take it.";
        sum(array([1, 2])?, Reduce::all().out(zeros(2, DType::I64)?))
            => "sum: out has the shape (2,), the result ()",
            "`out` has the shape of the result.";
        argmax(array([1, 2])?, Reduce::all().out(zeros((), DType::F32)?))
            => "argmax: positions, which are int64, do not fit in an out of float32",
            "Give an `out` of int64.";
        ptp(array([true, false])?, ())
            => "ptp: booleans have no difference and no sign: use not_equal, bitwise_xor or logical_not",
            "Cast to integers.";
        cumulative_sum(ones([2, 3], ())?, ())
            => "cumulative_sum: an axis is needed: the array has several",
            "Name the axis; `cumsum` goes through all elements.";
        cumsum(ones([2, 3], ())?, 2)
            => "cumsum: axis 2 is out of bounds for an array of 2 axes",
            "Axes are counted from 0, or from -1 at the end.";
        diff(ones((), ())?, ())
            => "diff: an array of shape () has no neighbours",
            "Differences need an axis.";
        diff(ones([2, 3], ())?, DiffOptions::new().prepend(&ones([3, 3], ())?))
            => "diff: arrays of shapes (3, 3) and (2, 3) cannot be joined along axis 1",
            "The leading axes are the other axes of the array.";
        ediff1d(array([1, 2])?, 1.5)
            => "ediff1d: to_end of float64 does not go with int32",
            "Cast the array to floats.";
        gradient(array([1.0])?, ())
            => "gradient: axis 0 has 1 elements, 2 are needed for edge_order 1",
            "A slope needs two elements.";
        gradient(array([1.0, 2.0])?, GradientOptions::new().edge_order(3))
            => "gradient: edge_order is 1 or 2, not 3",
            "1 or 2.";
        gradient(array([1.0, 2.0])?, &array([1.0, 2.0, 3.0])?)
            => "gradient: positions of shape (3,) are not those of an axis of length 2",
            "One position for each element.";
        gradient(ones([2, 2, 2], ())?, GradientOptions::new().spacing([1.0, 2.0]))
            => "gradient: 2 distances do not go with 3 axes",
            "One distance for all axes, or one for each.";
        trapezoid(array([1.0, 2.0])?, &ones((), ())?)
            => "trapezoid: x has the shape (): one number has no distances",
            "`TrapezoidOptions::new().dx(0.5)` gives one distance.";
        trapezoid(array([1.0, 2.0])?, TrapezoidOptions::new().axis(1))
            => "trapezoid: axis 1 is out of bounds for an array of 1 axes",
            "Axes are counted from 0, or from -1 at the end.";
        linalg::norm(ones([2, 2, 2], ())?, 1)
            => "norm: order 1 is no norm over 3 axes: name one",
            "Name one axis.";
    }
    "Functions and their methods" {
        ufunc("ad")
            => "ufunc: none is called \"ad\"; near it: add",
            "The names are NumPy's.";
        reduction("summ")
            => "reduction: none is called \"summ\"; near it: sum",
            "The names are NumPy's.";
        ufunc("add")?.call((array([1])?,), ())
            => "add: 2 operands are needed, 1 are given",
            "A tuple of as many operands as the function has.";
        ufunc("divmod")?.call((array([1])?, 2), ())
            => "divmod: there are two results, which call_pair gives",
            "`call_pair` gives both results.";
        ufunc("add")?.call_pair((array([1])?, 2), ())
            => "add: there is one result, which call gives",
            "`call` gives the result.";
        ufunc("add")?.call((array([1])?, 2), UfuncOptions::new().where_(&array([1])?))
            => "add: a mask is of bool, as comparisons give it, not of int32",
            "Compare: `mask.not_equal(0)?`.";
        ufunc("negative")?.reduce(array([1])?, 0, ())
            => "negative.reduce: only a function of two operands, with one result, has this method",
            "Only functions of two operands are folded.";
        ufunc("negative")?.outer(array([1])?, 1, ())
            => "negative.outer: only a function of two operands has this method",
            "Only functions of two operands make a table.";
        ufunc("subtract")?.reduce(ones([2, 2], ())?, (), ())
            => "subtract.reduce: the order of the elements matters: one axis can be reduced, not several",
            "Name one axis.";
        ufunc("subtract")?.reduce(zeros(0, ())?, 0, ())
            => "subtract.reduce: there are no elements in shape (0,): say what to begin with by FoldOptions::initial",
            "`FoldOptions::new().initial(0)` says what to begin with.";
        ufunc("maximum")?.reduce(array([1])?, 0, FoldOptions::new().where_(&array([true])?))
            => "maximum.reduce: a mask may leave no element in shape (1,): say what to begin with by FoldOptions::initial",
            "`FoldOptions::new().initial(0)` says what to begin with.";
        ufunc("add")?.reduce(array([1])?, 0, FoldOptions::new().out(&zeros(1, DType::I32)?))
            => "add.reduce: out has the shape (1,), the result ()",
            "`out` has the shape of the result.";
        ufunc("add")?.accumulate(ones((), ())?, 0, ())
            => "add.accumulate: an array of shape () has no axis to go along",
            "`reshape(1)` makes it a line.";
        AtOrder::named("C")
            => "ufunc.at: order is deterministic or any, not \"C\"",
            "The order of updates, and not of elements in memory.";
        ufunc("add")?.reduceat(array([1, 2])?, [2], 0, ())
            => "add.reduceat: index 2 is out of bounds for axis 0 with size 2",
            "Segments begin within the axis.";
        ufunc("equal")?.accumulate(array([1.5, 2.5])?, 0, ())
            => "equal.accumulate: elements of float64 cannot be combined one after the other: no result of equal is an operand of it again",
            "Compare neighbours: `a.index(s![1..])?.equal(a.index(s![..-1])?)?`.";
        GeneralizedUfunc::new("f", "n->", |x| Ok(x.to_vec()))
            => "f: \"n->\" is no signature, as \"(m,n),(n)->(m)\" is one",
            "Core axes are in parentheses.";
        GeneralizedUfunc::new("f", "(n)->()", |x| Ok(x.to_vec()))?.call(&[])
            => "f: 1 operands are needed, 0 are given; the signature is (n)->()",
            "As many operands as the signature has.";
        GeneralizedUfunc::new("f", "(n)->()", |x| Ok(x.to_vec()))?.call(&[&ones((), ())?])
            => "f: an operand of shape () has too few axes; the signature is (n)->()",
            "An operand has at least its core axes.";
        GeneralizedUfunc::new("f", "(n),(n)->()", |x| Ok(x.to_vec()))?.call(&[&ones(2, ())?, &ones(3, ())?])
            => "f: an operand of shape (3,) has 3 where 2 is expected; the signature is (n),(n)->()",
            "Axes of one name have one size.";
        GeneralizedUfunc::new("f", "(n)->()", |_| Ok(vec![]))?.call(&[&ones(2, ())?])
            => "f: the function gave 0 results; the signature is (n)->()",
            "As many results as the signature has.";
        GeneralizedUfunc::new("f", "(n)->()", |x| Ok(x.to_vec()))?.call(&[&ones(2, ())?])
            => "f: the function gave a result of shape (2,); the signature is (n)->()",
            "Results have the core axes of the signature.";
        GeneralizedUfunc::new("f", "(n)->()", |x| Ok(x.to_vec()))?.call_with(&[&ones(2, ())?], &GufuncOptions { axes: Some(CoreAxes::listed([0, 1, 2])), ..Default::default() })
            => "f: axes have 3 entries: give one for each operand and each result",
            "As many entries as operands and results.";
        GeneralizedUfunc::new("f", "(m,n)->()", |x| Ok(x.to_vec()))?.call_with(&[&ones([2, 2], ())?], &GufuncOptions { axis: Some(0), ..Default::default() })
            => "f: axis is for a core of one axis: give axes; the signature is (m,n)->()",
            "`axes` names the axes of each array.";
        GeneralizedUfunc::new("f", "(n)->(n)", |x| Ok(x.to_vec()))?.call_with(&[&ones(2, ())?], &GufuncOptions { keepdims: true, ..Default::default() })
            => "f: keepdims is for operands with as many core axes each, and results without; the signature is (n)->(n)",
            "Axes that stay in the result are its own already.";
    }
    "Sorting and sets" {
        sort(ones((), ())?, ())
            => "sort: axis -1 is out of bounds for an array of 0 axes",
            "`reshape(1)` makes it a line.";
        sort(ones(2, ())?, 1)
            => "sort: axis 1 is out of bounds for an array of 1 axes",
            "Axes are counted from 0, or from -1 at the end.";
        zeros(3, ())?.broadcast_to([2, 3])?.sort(0)
            => "sort: the destination, of shape (2, 3) and strides [0, 8], is read-only: several of its elements share memory. Write to a copy of it",
            "Sort a copy: `cuprum::sort`.";
        partition(array([1, 2])?, [2], ())
            => "partition: there is no position 2 on an axis of length 2",
            "Positions go from 0 to the size less one.";
        lexsort(Vec::<Array>::new(), ())
            => "lexsort: there are no keys to sort by: one is needed",
            "Give a key.";
        lexsort([array([1])?, array([1, 2])?], ())
            => "lexsort: the keys must have one shape",
            "One element of each key for each row.";
        "bubble".parse::<SortKind>()
            => "there is no kind of sort called \"bubble\"; there are quicksort, heapsort, mergesort, stable",
            "Every sort is the same stable one.";
        unique(array([1, 2])?, UniqueOptions::new().axis(1))
            => "unique: axis 1 is out of bounds for an array of 1 axes",
            "Axes are counted from 0, or from -1 at the end.";
    }
}

//! Logical and bitwise functions, and tests of floats.

use super::{Associative, FOLDS, Folds, Loops, Operands, UFUNC, Ufunc};

const BITS: &str = "??->? bb->b BB->B hh->h HH->H ii->i II->I ll->l LL->L";
const TRUTH1: &str = "?->? b->? B->? h->? H->? i->? I->? l->? L->? e->? E->? f->? d->?";
const TRUTH2: &str = "??->? bb->? BB->? hh->? HH->? ii->? II->? ll->? LL->? ee->? EE->? ff->? dd->?";
const EXACT: &str = "?->? b->? B->? h->? H->? i->? I->? l->? L->?";
const FLOATS: &str = "e->? E->? f->? d->? F->? D->?";

const fn loops(types: &'static str, expr: &'static str) -> Loops {
    Loops { types, expr }
}

/// Returns the record of a binary logical function, with the corresponding reduction.
const fn truths(
    name: &'static str,
    loops: &'static [Loops],
    identity: &'static str,
    reduction: &'static str,
    doc: &'static str,
) -> Ufunc {
    let folds = Folds { associative: Associative::Always, reduction: Some(reduction), ..FOLDS };
    Ufunc { name, loops, identity: Some(identity), operands: Operands::Truths, folds, doc, ..UFUNC }
}

/// Returns the record of a binary bitwise function.
const fn bits(
    name: &'static str,
    loops: &'static [Loops],
    identity: &'static str,
    atomic: &'static str,
    doc: &'static str,
) -> Ufunc {
    let folds = Folds { associative: Associative::Integers, atomic: Some(atomic), ..FOLDS };
    Ufunc { name, loops, identity: Some(identity), folds, doc, ..UFUNC }
}

/// Returns the record of a test of one operand.
const fn unary(
    name: &'static str,
    aliases: &'static [&'static str],
    loops: &'static [Loops],
    doc: &'static str,
) -> Ufunc {
    Ufunc { name, aliases, nin: 1, loops, doc, ..UFUNC }
}

pub(super) const UFUNCS: &[&Ufunc] = &[
    &truths(
        "logical_and",
        &[loops(TRUTH2, "a != 0 && b != 0"), loops("FF->? DD->?", "is_true(a) && is_true(b)")],
        "true",
        "all",
        "Whether both operands are non-zero.",
    ),
    &truths(
        "logical_or",
        &[loops(TRUTH2, "a != 0 || b != 0"), loops("FF->? DD->?", "is_true(a) || is_true(b)")],
        "false",
        "any",
        "Whether either operand is non-zero.",
    ),
    &Ufunc {
        operands: Operands::Truths,
        ..unary(
            "logical_not",
            &[],
            &[loops(TRUTH1, "!(a != 0)"), loops("F->? D->?", "!is_true(a)")],
            "Whether the operand is zero.",
        )
    },
    &bits("bitwise_and", &[loops(BITS, "a & b")], "-1", "atomicAnd", "The bits set in both operands."),
    &bits("bitwise_or", &[loops(BITS, "a | b")], "0", "atomicOr", "The bits set in either operand."),
    &bits("bitwise_xor", &[loops(BITS, "a ^ b")], "0", "atomicXor", "The bits set in one operand only."),
    &unary(
        "invert",
        &["bitwise_not", "bitwise_invert"],
        &[loops("?->?", "!a"), loops("b->b B->B h->h H->H i->i I->I l->l L->L", "~a")],
        "Every bit flipped; of a boolean, logical not.",
    ),
    &unary("isnan", &[], &[loops(EXACT, "false"), loops(FLOATS, "is_nan(a)")], "Whether the operand is NaN."),
    &unary(
        "isfinite",
        &[],
        &[loops(EXACT, "true"), loops(FLOATS, "is_finite(a)")],
        "Whether the operand is neither infinite nor NaN.",
    ),
];

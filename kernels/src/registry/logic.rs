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
        "Logical and: true where both operands are non-zero.",
    )
    .example("logical_and(array([0, 2])?, true)? => bool [false, true]")
    .notes("NaN counts as true."),
    &truths(
        "logical_or",
        &[loops(TRUTH2, "a != 0 || b != 0"), loops("FF->? DD->?", "is_true(a) || is_true(b)")],
        "false",
        "any",
        "Logical or: true where either operand is non-zero.",
    )
    .example("logical_or(array([0, 2])?, false)? => bool [false, true]")
    .notes("NaN counts as true."),
    &Ufunc {
        operands: Operands::Truths,
        example: "logical_not(array([0, 2])?)? => bool [true, false]",
        notes: "NaN counts as true.",
        ..unary(
            "logical_not",
            &[],
            &[loops(TRUTH1, "!(a != 0)"), loops("F->? D->?", "!is_true(a)")],
            "Logical not: true where the operand is zero.",
        )
    },
    &bits("bitwise_and", &[loops(BITS, "a & b")], "-1", "atomicAnd", "Bitwise and: the bits set in both operands.")
        .example("bitwise_and(array([6, 5])?, 3)? => i32 [2, 1]")
        .notes("Of booleans it is logical and. Floats are rejected. The operator `&` calls it."),
    &bits("bitwise_or", &[loops(BITS, "a | b")], "0", "atomicOr", "Bitwise or: the bits set in either operand.")
        .example("bitwise_or(array([6, 5])?, 3)? => i32 [7, 7]")
        .notes("Of booleans it is logical or. Floats are rejected. The operator `|` calls it."),
    &bits(
        "bitwise_xor",
        &[loops(BITS, "a ^ b")],
        "0",
        "atomicXor",
        "Bitwise exclusive or: the bits set in one operand only.",
    )
    .example("bitwise_xor(array([6, 5])?, 3)? => i32 [5, 6]")
    .notes("Of booleans it is exclusive or. Floats are rejected. The operator `^` calls it."),
    &unary(
        "invert",
        &["bitwise_not", "bitwise_invert"],
        &[loops("?->?", "!a"), loops("b->b B->B h->h H->H i->i I->I l->l L->L", "~a")],
        "Bitwise not: every bit flipped; of a boolean, logical not.",
    )
    .example("invert(array([0, 5])?)? => i32 [-1, -6]")
    .notes("Of a signed integer it is -1 less the operand. Floats are rejected. The operator `!` calls it."),
    &unary("isnan", &[], &[loops(EXACT, "false"), loops(FLOATS, "is_nan(a)")], "Tests each element for NaN.")
        .example("isnan(array([1.0, f64::NAN])?)? => bool [false, true]")
        .notes("A complex number is NaN if a part of it is. Integers and booleans never are."),
    &unary(
        "isfinite",
        &[],
        &[loops(EXACT, "true"), loops(FLOATS, "is_finite(a)")],
        "Tests each element for being neither infinite nor NaN.",
    )
    .example("isfinite(array([1.0, f64::INFINITY, f64::NAN])?)? => bool [true, false, false]")
    .notes("A complex number is finite if both parts are. Integers and booleans always are."),
];

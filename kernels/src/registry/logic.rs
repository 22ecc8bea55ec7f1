//! Truth values, bits, and questions about floats.

use super::{Loops, UFUNC, Ufunc};

const BITS: &str = "??->? bb->b BB->B hh->h HH->H ii->i II->I ll->l LL->L";
const TRUTH1: &str = "?->? b->? B->? h->? H->? i->? I->? l->? L->? e->? E->? f->? d->?";
const TRUTH2: &str = "??->? bb->? BB->? hh->? HH->? ii->? II->? ll->? LL->? ee->? EE->? ff->? dd->?";
const EXACT: &str = "?->? b->? B->? h->? H->? i->? I->? l->? L->?";
const FLOATS: &str = "e->? E->? f->? d->? F->? D->?";

const fn loops(types: &'static str, expr: &'static str) -> Loops {
    Loops { types, expr }
}

/// A pairwise function of truth values, of bits or of both.
const fn binary(
    name: &'static str,
    loops: &'static [Loops],
    identity: Option<&'static str>,
    doc: &'static str,
) -> Ufunc {
    Ufunc { name, loops, identity, doc, ..UFUNC }
}

/// A question about one operand.
const fn unary(
    name: &'static str,
    aliases: &'static [&'static str],
    loops: &'static [Loops],
    doc: &'static str,
) -> Ufunc {
    Ufunc { name, aliases, nin: 1, loops, doc, ..UFUNC }
}

pub(super) const UFUNCS: &[&Ufunc] = &[
    &binary(
        "logical_and",
        &[loops(TRUTH2, "a != 0 && b != 0"), loops("FF->? DD->?", "is_true(a) && is_true(b)")],
        Some("true"),
        "Whether both operands are non-zero.",
    ),
    &binary(
        "logical_or",
        &[loops(TRUTH2, "a != 0 || b != 0"), loops("FF->? DD->?", "is_true(a) || is_true(b)")],
        Some("false"),
        "Whether either operand is non-zero.",
    ),
    &unary(
        "logical_not",
        &[],
        &[loops(TRUTH1, "!(a != 0)"), loops("F->? D->?", "!is_true(a)")],
        "Whether the operand is zero.",
    ),
    &binary("bitwise_and", &[loops(BITS, "a & b")], Some("-1"), "The bits set in both operands."),
    &binary("bitwise_or", &[loops(BITS, "a | b")], Some("0"), "The bits set in either operand."),
    &binary("bitwise_xor", &[loops(BITS, "a ^ b")], Some("0"), "The bits set in one operand only."),
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

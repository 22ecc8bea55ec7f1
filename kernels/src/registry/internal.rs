//! Internal elementwise functions: selection, copies and casts, fills, sequences.

use super::{CLOSENESS, Loops, Operands, UFUNC, Ufunc};

/// Namespace of functions that the library exposes only under another signature.
const NONE: &str = "";

const SAME1: &str = "?->? b->b B->B h->h H->H i->i I->I l->l L->L e->e E->E f->f d->d F->F D->D";

/// Defines the loops of a function of two numbers and a tolerance: the first number has the dtype that both are
/// promoted to, the second its own. float16 and bfloat16 round every step, computed in float32.
macro_rules! closeness {
    ($nan:literal) => {
        &[
            Loops {
                types: "eeD->?",
                expr: concat!(
                    "is_close(a, b, c, [](f32 x) { return widen(f16_from(x)); }, \
                     [](f32 x) { return widen(f16_from(x)); })",
                    $nan
                ),
            },
            Loops {
                types: "EED->?",
                expr: concat!(
                    "is_close(a, b, c, [](f32 x) { return widen(bf16_from(x)); }, \
                     [](f32 x) { return widen(bf16_from(x)); })",
                    $nan
                ),
            },
            Loops {
                types: "feD->? deD->? FeD->? DeD->?",
                expr: concat!(
                    "is_close(a, b, c, [](auto x) { return x; }, [](f32 x) { return widen(f16_from(x)); })",
                    $nan
                ),
            },
            Loops {
                types: "fED->? dED->? FED->? DED->?",
                expr: concat!(
                    "is_close(a, b, c, [](auto x) { return x; }, [](f32 x) { return widen(bf16_from(x)); })",
                    $nan
                ),
            },
            Loops {
                types: "ffD->? dfD->? FfD->? DfD->? ddD->? DdD->? FFD->? DFD->? DDD->?",
                expr: concat!("is_close(a, b, c, [](auto x) { return x; }, [](auto x) { return x; })", $nan),
            },
        ]
    };
}

pub(super) const UFUNCS: &[&Ufunc] = &[
    &Ufunc {
        name: "where",
        namespace: NONE,
        nin: 3,
        operands: Operands::Chosen,
        loops: &[Loops {
            types: "???->? ?bb->b ?BB->B ?hh->h ?HH->H ?ii->i ?II->I ?ll->l ?LL->L ?ee->e ?EE->E ?ff->f ?dd->d \
                    ?FF->F ?DD->D",
            // The stored elements: widening would replace every NaN by one bit pattern.
            expr: "loop0 ? loop1 : loop2",
        }],
        doc: "The second operand where the first is true, the third elsewhere.",
        ..UFUNC
    },
    &Ufunc {
        name: "copy",
        namespace: NONE,
        nin: 1,
        loops: &[Loops { types: SAME1, expr: "loop0" }],
        doc: "The operand itself: copies, casts and fills.",
        ..UFUNC
    },
    &Ufunc {
        name: "arange",
        namespace: NONE,
        nin: 2,
        loops: &[
            Loops { types: "??->?", expr: "index == 0 ? a : b" },
            Loops {
                types: "bb->b BB->B hh->h HH->H ii->i II->I ll->l LL->L",
                expr: "(decltype(a))((u64)a + index * ((u64)b - (u64)a))",
            },
            Loops { types: "ee->e EE->E ff->f", expr: "index == 1 ? b : a + (f32)index * (b - a)" },
            Loops { types: "dd->d", expr: "index == 1 ? b : a + (f64)index * (b - a)" },
            Loops { types: "FF->F", expr: "index == 1 ? b : a + c64{(f32)index, 0} * (b - a)" },
            Loops { types: "DD->D", expr: "index == 1 ? b : a + c128{(f64)index, 0} * (b - a)" },
        ],
        doc: "An arithmetic sequence, given by its first and its second element.",
        ..UFUNC
    },
    &Ufunc {
        name: "close",
        namespace: NONE,
        nin: 3,
        loops: closeness!(""),
        text: CLOSENESS,
        doc: "Whether the operands are apart by no more than a part of the second's magnitude plus a distance, \
              which are the two parts of the third.",
        ..UFUNC
    },
    &Ufunc {
        name: "close_or_nan",
        namespace: NONE,
        nin: 3,
        loops: closeness!(" || (is_nan(a) && is_nan(b))"),
        text: CLOSENESS,
        doc: "The same, NaN being close to NaN.",
        ..UFUNC
    },
];

//! What the library itself runs elementwise: selection, copies and casts, fills, sequences.

use super::{Loops, UFUNC, Ufunc};

const SAME1: &str = "?->? b->b B->B h->h H->H i->i I->I l->l L->L e->e E->E f->f d->d F->F D->D";

pub(super) const UFUNCS: &[&Ufunc] = &[
    &Ufunc {
        name: "where",
        nin: 3,
        loops: &[Loops {
            types: "???->? ?bb->b ?BB->B ?hh->h ?HH->H ?ii->i ?II->I ?ll->l ?LL->L ?ee->e ?EE->E ?ff->f ?dd->d \
                    ?FF->F ?DD->D",
            expr: "a ? b : c",
        }],
        doc: "The second operand where the first is true, the third elsewhere.",
        ..UFUNC
    },
    &Ufunc {
        name: "copy",
        nin: 1,
        loops: &[Loops { types: SAME1, expr: "a" }],
        doc: "The operand itself: copies, casts and fills.",
        ..UFUNC
    },
    &Ufunc {
        name: "arange",
        nin: 2,
        loops: &[
            Loops { types: "??->?", expr: "index == 0 ? a : b" },
            Loops {
                types: "bb->b BB->B hh->h HH->H ii->i II->I ll->l LL->L",
                expr: "(decltype(a))((u64)a + index * (u64)b)",
            },
            Loops { types: "ee->e EE->E", expr: "a + (f32)index * b" },
            Loops { types: "ff->f", expr: "a + (f32)index * b" },
            Loops { types: "dd->d", expr: "a + (f64)index * b" },
            Loops { types: "FF->F", expr: "(c64{a.re + (f32)index * b.re, a.im + (f32)index * b.im})" },
            Loops { types: "DD->D", expr: "(c128{a.re + (f64)index * b.re, a.im + (f64)index * b.im})" },
        ],
        doc: "An arithmetic sequence: the first operand plus the element's index times the second.",
        ..UFUNC
    },
];

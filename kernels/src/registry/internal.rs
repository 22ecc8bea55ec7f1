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
            // The elements as they are stored: widening would make one NaN of all.
            expr: "loop0 ? loop1 : loop2",
        }],
        doc: "The second operand where the first is true, the third elsewhere.",
        ..UFUNC
    },
    &Ufunc {
        name: "copy",
        nin: 1,
        loops: &[Loops { types: SAME1, expr: "loop0" }],
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
];

//! Tests of the reproducers that the harness prints for failing cases: here for passing cases, of every kind of
//! operation. They are compiled, run and must pass, and the printed text must equal the compiled one.

use cuprum_conformance::reference::Reference;
use cuprum_conformance::run::Run;
use cuprum_conformance::{Case, Matrix};

/// A case of each form that a printed test can have.
const IDS: &[&str] = &[
    "math/add/f16-f32/(2,)x(1,)/strided-C/[1.5,NaN]x[-0.0]",
    "math/add/u8-py(300)/(2,)/C/[1,2]",
    "math/multiply/c64-c128/(2,2)x(2,)/F-negative/[(1.0,2.0),(0.0,-0.0),(NaN,1.0),(3.0,0.5)]x[(1.0,1.0),(2.0,0.0)]",
    "math/tan/bf16/(2,1,2)/transposed/[1.0,0.5,-0.0,inf]",
    "floating/frexp/f32/(2,)/offset/[8.0,0.0]",
    "operators/operator_add/f32-py(2.5)/(2,)/C/[1.0,2.0]",
    "operators/operator_divide/i8-i8/(2,)x(3,)/C-C/[1,2]x[1,2,3]",
    "options/add.call/f32-f32/(3,)x(3,)/C-C/[1.0,2.0,3.0]x[4.0,5.0,6.0]/out=f32/strided;where=1;casting=unsafe",
    "options/add.call/i16-i16/(3,)x(3,)/C-C/[1,2,3]x[4,5,6]/out=shifted",
    "methods/subtract.reduce/f32/(2,3)/C/small/out=f64;axis=-1;keepdims=1;where=(3,)",
    "methods/add.reduceat/i32/(7,)/C/small/indices=(0,3)",
    "methods/subtract.outer/u8-u8/(2,)x(3,)/C-C/[1,2]x[3,4,5]",
    "reduction/sum/f32/(2,2)/broadcast/[1.0,2.0,1.0,2.0]/axis=-1;keepdims=1",
    "reduction/argmax/f64/(0,3)/C/small",
    "reduction/max/i64/(2,2)/F/[1,2,3,4]/axis=7",
    "linalg/matmul/f32-f64/(2,2)x(2,1)/C-C/[1.0,2.0,3.0,4.0]x[0.5,0.25]",
    "creation/full/bool/(2,)/C/small/value=True",
    "creation/arange/f32/()/C/small/start=0;stop=3;step=1",
    "manipulation/reshape/i32/(2,3)/F/[1,2,3,4,5,6]/to=(3,2)",
    "manipulation/moveaxis/i32/(1,2)/C/[1,2]/a=9;b=0",
    "indexing/getitem/u16/(2,3)/C/[1,2,3,4,5,6]/key=[::-1,None,1]",
    "indexing/getitem/u16/()/C/[1]/key=[]",
    "indexing/setitem/f32-i8/(3,)x(1,)/C-C/[1.0,2.0,3.0]x[7]/key=[1:]",
    "cast/astype/f64/(2,)/C/[1.5,-2.5]/to=i8",
    "text/repr/f32/(2,)/C/[1.5,NaN]",
];

#[allow(clippy::all, reason = "written by a program, to be read once")]
mod cases {
    include!("printed/cases.rs");
}

#[test]
fn what_is_printed_is_what_is_compiled() {
    let matrix = Matrix::built_in().unwrap();
    let run = Run { matrix: &matrix, seed: 1, device: &Reference, oracle: &Reference };
    let mut text = String::from("// What the harness prints, as it prints it: see printed.rs.\n");
    for (i, id) in IDS.iter().enumerate() {
        let case = Case::parse(id, &matrix).unwrap();
        let (test, numpy) = run.snippets(&case).expect(id);
        assert!(numpy.is_some(), "{id}");
        text += &format!("mod case_{i} {{\n{test}\n}}\n");
    }
    assert!(text == include_str!("printed/cases.rs"), "tests/tests/workspace/printed/cases.rs should hold\n{text}");
}

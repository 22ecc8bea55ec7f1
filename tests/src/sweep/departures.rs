//! Forms on which a GPU is known to depart from the PTX manual, while the simulator keeps to it.

/// A part of a form's name, and what the GPU does instead.
pub const DEPARTURES: [(&str, &str); 2] = [
    (
        ".shared.add.noftz.f16x2",
        "the assembler of CUDA 13.0 makes this of a loop that adds zero in place of the operand's upper half",
    ),
    (".shared.add.noftz.bf16x2", "as for float16"),
];

/// What the GPU does instead of what the manual says; none for all other forms.
pub fn departure(form: &str) -> Option<&'static str> {
    DEPARTURES.iter().find(|(name, _)| form.contains(name)).map(|(_, why)| *why)
}

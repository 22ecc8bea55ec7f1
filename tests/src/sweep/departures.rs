//! Forms on which a GPU is known to deviate from the PTX manual, which the simulator follows.

/// A part of the name of a form, and the GPU's behaviour.
pub const DEPARTURES: [(&str, &str); 2] = [
    (
        ".shared.add.noftz.f16x2",
        "the assembler of CUDA 13.0 makes this of a loop that adds zero in place of the operand's upper half",
    ),
    (".shared.add.noftz.bf16x2", "as for float16"),
];

/// Returns the GPU's behaviour where it deviates from the manual; `None` for all other forms.
pub fn departure(form: &str) -> Option<&'static str> {
    DEPARTURES.iter().find(|(name, _)| form.contains(name)).map(|(_, why)| *why)
}

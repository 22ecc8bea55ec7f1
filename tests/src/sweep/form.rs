//! Forms: one instruction, or a sequence of them, with the kinds of its operands and results.

/// The kind of a register: its width and the distribution of its operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// A predicate.
    Pred,
    /// An integer in the low byte of a 32-bit register; the bits above it are ignored.
    Byte,
    /// The low half of a 32-bit register.
    Low,
    /// A 16-bit integer or bit pattern.
    Short,
    /// A 32-bit one.
    Word,
    /// A 64-bit one.
    Long,
    /// A bit count, a position or a selector, in 32 bits.
    Count,
    /// One of a few 32-bit values, so that lanes agree.
    Few,
    /// One of a few 64-bit values.
    FewLong,
    /// float16.
    Half,
    /// bfloat16.
    Brain,
    /// Two float16.
    Halves,
    /// Two bfloat16.
    Brains,
    /// float32.
    Single,
    /// float32 for functions of angles and exponents: mostly small.
    Small,
    /// float64.
    Double,
}

impl Kind {
    /// Returns the kind of a letter in a form's list.
    fn of(letter: char) -> Kind {
        match letter {
            'p' => Kind::Pred,
            'y' => Kind::Byte,
            'w' => Kind::Low,
            'h' => Kind::Short,
            'r' => Kind::Word,
            'd' => Kind::Long,
            'c' => Kind::Count,
            'n' => Kind::Few,
            'N' => Kind::FewLong,
            'H' => Kind::Half,
            'B' => Kind::Brain,
            'X' => Kind::Halves,
            'Y' => Kind::Brains,
            'f' => Kind::Single,
            's' => Kind::Small,
            'e' => Kind::Double,
            other => panic!("{other:?} is no kind"),
        }
    }

    /// Returns the bits of the register.
    pub fn bits(self) -> u32 {
        match self {
            Kind::Pred => 1,
            Kind::Short | Kind::Half | Kind::Brain => 16,
            Kind::Long | Kind::FewLong | Kind::Double => 64,
            _ => 32,
        }
    }

    /// Returns the bytes of a result in a recording.
    pub fn bytes(self) -> usize {
        self.bits().div_ceil(8) as usize
    }

    /// Returns the type in a declaration of registers.
    pub(super) fn register(self) -> &'static str {
        match self.bits() {
            1 => ".pred",
            16 => ".b16",
            32 => ".b32",
            _ => ".b64",
        }
    }
}

/// The memory cell of a form; its address is `m`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cell {
    /// The form uses registers only.
    None,
    /// A cell per thread in global memory.
    Global,
    /// A cell per thread in shared memory.
    Shared,
    /// A cell shared by all threads of a block, in shared memory.
    Common,
}

/// A form.
#[derive(Clone, Debug)]
pub struct Form {
    /// PTX statements on the registers `a`, `b`, `c`, `x`, `y` (operands) and `d`, `e` (results).
    pub body: String,
    letters: (String, String),
    /// The results.
    pub results: Vec<Kind>,
    /// The operands.
    pub operands: Vec<Kind>,
    /// Declarations of other registers.
    pub declare: &'static str,
    /// The memory cell.
    pub cell: Cell,
    /// A condition in C on `lane`: the threads that execute the form.
    pub when: &'static str,
}

impl Form {
    /// Creates a form of registers; kinds are named by letters.
    pub fn new(body: impl Into<String>, results: &str, operands: &str) -> Form {
        let body: String = body.into();
        Form {
            body: if body.starts_with('{') { body } else { body + ";" },
            letters: (results.into(), operands.into()),
            results: results.chars().map(Kind::of).collect(),
            operands: operands.chars().map(Kind::of).collect(),
            declare: "",
            cell: Cell::None,
            when: "",
        }
    }

    /// Returns the same form with a memory cell.
    pub fn cell(self, cell: Cell) -> Form {
        Form { cell, ..self }
    }

    /// Returns the same form for some lanes of each warp.
    pub fn when(self, when: &'static str) -> Form {
        Form { when, ..self }
    }

    /// Returns the same form with more registers.
    pub fn declare(self, declare: &'static str) -> Form {
        Form { declare, ..self }
    }

    /// Returns the unique name of the form.
    pub fn name(&self) -> String {
        let mut name = self.body.trim_end_matches(';').to_string();
        match self.cell {
            Cell::None => {}
            cell => name += &format!(" [{cell:?}]"),
        }
        if !self.when.is_empty() {
            name += &format!(" if {}", self.when);
        }
        // The kinds are part of the name: registers of another width are another conversion, other operands another
        // test.
        format!("{name} ({}>{})", self.letters.1, self.letters.0)
    }

    /// Returns true if only an error bound is specified for it.
    pub fn is_approximate(&self) -> bool {
        self.body.contains(".approx") || self.body.starts_with("div.full")
    }

    /// Returns true if it is one division of integers, or its remainder.
    pub fn divides_integers(&self) -> bool {
        let ty = self.body.strip_prefix("div.").or(self.body.strip_prefix("rem.")).unwrap_or_default();
        ["s16", "u16", "s32", "u32", "s64", "u64"].iter().any(|t| ty.starts_with(t))
    }

    /// Returns the opcode of each statement.
    pub fn opcodes(&self) -> impl Iterator<Item = &str> {
        self.body.split(';').filter_map(|s| s.split_whitespace().find(|w| !w.starts_with(['@', '{', '}'])))
    }
}

//! A form: one instruction, or a chain of them, with the kinds of its operands and results.

/// What a register holds: its width, and what its operands are like.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// A predicate.
    Pred,
    /// An integer in the low byte of a 32-bit register; what stands above it is not the instruction's.
    Byte,
    /// The low half of a 32-bit register.
    Low,
    /// Integers and bits of 16 bits.
    Short,
    /// Of 32 bits.
    Word,
    /// Of 64 bits.
    Long,
    /// A count of bits, a position or a selector, in 32 bits.
    Count,
    /// One of few 32-bit values, so that lanes agree.
    Few,
    /// One of few 64-bit values.
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
    /// float32 for functions of angles and exponents: most are small.
    Small,
    /// float64.
    Double,
}

impl Kind {
    /// The kind of a letter in a form's list.
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

    /// The bits of the register.
    pub fn bits(self) -> u32 {
        match self {
            Kind::Pred => 1,
            Kind::Short | Kind::Half | Kind::Brain => 16,
            Kind::Long | Kind::FewLong | Kind::Double => 64,
            _ => 32,
        }
    }

    /// The bytes that a result takes in a recording.
    pub fn bytes(self) -> usize {
        self.bits().div_ceil(8) as usize
    }

    /// The type in a declaration of registers.
    pub(super) fn register(self) -> &'static str {
        match self.bits() {
            1 => ".pred",
            16 => ".b16",
            32 => ".b32",
            _ => ".b64",
        }
    }
}

/// The memory cell that a form works on; its address is called `m`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cell {
    /// The form works on registers alone.
    None,
    /// A cell of each thread's own in global memory.
    Global,
    /// A cell of each thread's own in shared memory.
    Shared,
    /// One cell for all threads of a block, in shared memory.
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
    /// Other registers: declarations.
    pub declare: &'static str,
    /// The memory that it works on.
    pub cell: Cell,
    /// A condition in C on `lane`: the threads that execute the form.
    pub when: &'static str,
}

impl Form {
    /// A form of registers; kinds are named by letters.
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

    /// The same form with a memory cell.
    pub fn cell(self, cell: Cell) -> Form {
        Form { cell, ..self }
    }

    /// The same form for some lanes of each warp.
    pub fn when(self, when: &'static str) -> Form {
        Form { when, ..self }
    }

    /// The same form with more registers.
    pub fn declare(self, declare: &'static str) -> Form {
        Form { declare, ..self }
    }

    /// What tells it from all others.
    pub fn name(&self) -> String {
        let mut name = self.body.trim_end_matches(';').to_string();
        match self.cell {
            Cell::None => {}
            cell => name += &format!(" [{cell:?}]"),
        }
        if !self.when.is_empty() {
            name += &format!(" if {}", self.when);
        }
        // The kinds belong to it: registers of another width make another conversion, other values another test.
        format!("{name} ({}>{})", self.letters.1, self.letters.0)
    }

    /// Whether only a bound of its error is promised.
    pub fn is_approximate(&self) -> bool {
        self.body.contains(".approx") || self.body.starts_with("div.full")
    }

    /// Whether it is one division of integers, or the remainder of one.
    pub fn divides_integers(&self) -> bool {
        let ty = self.body.strip_prefix("div.").or(self.body.strip_prefix("rem.")).unwrap_or_default();
        ["s16", "u16", "s32", "u32", "s64", "u64"].iter().any(|t| ty.starts_with(t))
    }

    /// The opcode of each statement.
    pub fn opcodes(&self) -> impl Iterator<Item = &str> {
        self.body.split(';').filter_map(|s| s.split_whitespace().find(|w| !w.starts_with(['@', '{', '}'])))
    }
}

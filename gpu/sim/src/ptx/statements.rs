//! Parser of function bodies: tokens to statements.

use super::lexer::Token;
use super::parser::{Parser, Result, type_bytes};
use super::scope::Scopes;
use super::source::Location;
use super::{FunctionText, Operand, Space, Statement};

impl Parser {
    /// Declares the labels of the block that starts here, so that forward branches find them.
    fn label_block(&self, f: &mut FunctionText, scopes: &mut Scopes) {
        let mut depth = 0;
        for i in self.at..self.tokens.len() {
            match &self.tokens[i].token {
                Token::Punct('{') => depth += 1,
                Token::Punct('}') if depth == 0 => return,
                Token::Punct('}') => depth -= 1,
                Token::Word(w)
                    if depth == 0 && self.tokens.get(i + 1).map(|t| &t.token) == Some(&Token::Punct(':')) =>
                {
                    scopes.name(w, Operand::Label(f.labels.len()));
                    f.labels.push(usize::MAX);
                }
                _ => {}
            }
        }
    }

    pub(super) fn body(&mut self, f: &mut FunctionText, scopes: &mut Scopes) -> Result<()> {
        self.expect('{')?;
        let outside = scopes.depth();
        scopes.open();
        self.label_block(f, scopes);
        while scopes.depth() > outside {
            if self.accept('{') {
                scopes.open();
                self.label_block(f, scopes);
            } else if self.accept('}') {
                scopes.close();
            } else if !self.accept(';') {
                self.statement(f, scopes)?;
            }
        }
        Ok(())
    }

    fn statement(&mut self, f: &mut FunctionText, scopes: &mut Scopes) -> Result<()> {
        let line = self.line();
        let mut guard = None;
        if self.accept('@') {
            let negated = self.accept('!');
            let name = self.word()?;
            match scopes.find(&name) {
                Some(Operand::Reg(r)) => guard = Some((r, negated)),
                _ => return self.fail(format!("{name} is no predicate")),
            }
        }
        let opcode = self.word()?;
        if self.is(':') && guard.is_none() {
            self.at += 1;
            let Some(Operand::Label(label)) = scopes.find(&opcode) else {
                return self.fail(format!("label {opcode} is not known"));
            };
            f.labels[label] = f.statements.len();
            return self.label_list(f, label, scopes);
        }
        match opcode.as_str() {
            ".reg" => return self.registers(scopes),
            ".param" | ".local" | ".shared" => return self.variable(&opcode, scopes),
            ".loc" => {
                self.location(line);
                return Ok(());
            }
            ".pragma" => return self.skip_past(';'),
            w if w.starts_with('.') => return self.fail(format!("unknown directive {w}")),
            _ => {}
        }
        let mut operands = Vec::new();
        while !self.accept(';') {
            operands.push(self.operand(scopes)?);
            if !self.is(';') {
                self.expect(',')?;
            }
        }
        f.statements.push(Statement { guard, opcode, operands, line });
        Ok(())
    }

    /// Parses `.loc 1 20 3`, or `.loc 2 7 5, function_name NAME, inlined_at 1 20 3`: the file and the line of the
    /// following code.
    fn location(&mut self, line: u32) {
        let start = self.at;
        self.skip_line(line);
        let mut lines = Vec::new();
        let mut numbers = Vec::new();
        for token in &self.tokens[start..self.at] {
            match &token.token {
                Token::Int(n) => numbers.push(*n as u32),
                Token::Word(w) if w == "inlined_at" => lines.push(std::mem::take(&mut numbers)),
                // A name and an offset into it are skipped.
                Token::Word(_) => lines.push(std::mem::take(&mut numbers)),
                _ => {}
            }
        }
        lines.push(numbers);
        let lines: Vec<(u32, u32)> =
            lines.iter().filter_map(|n| Some((*n.first()?, *n.get(1)?))).filter(|&(_, line)| line > 0).collect();
        // Line 0 has no source line: the previous location remains valid.
        if !lines.is_empty() {
            self.module.sources.locations.push(Location { from: line, lines });
        }
    }

    /// Parses the directive after a label: a list of branch targets, or the prototype of an indirect call.
    fn label_list(&mut self, f: &mut FunctionText, label: usize, scopes: &Scopes) -> Result<()> {
        match self.peek() {
            Some(Token::Word(w)) if w == ".branchtargets" => {
                self.at += 1;
                let mut targets = Vec::new();
                while !self.accept(';') {
                    let name = self.word()?;
                    match scopes.find(&name) {
                        Some(Operand::Label(l)) => targets.push(l),
                        _ => return self.fail(format!("label {name} is not known")),
                    }
                    self.accept(',');
                }
                f.tables.insert(label, targets);
                Ok(())
            }
            Some(Token::Word(w)) if w == ".callprototype" || w == ".calltargets" => self.skip_past(';'),
            _ => Ok(()),
        }
    }

    fn registers(&mut self, scopes: &mut Scopes) -> Result<()> {
        let mut width = 0;
        while let Some(Token::Word(w)) = self.peek()
            && w.starts_with('.')
        {
            width = if w == ".pred" { 1 } else { type_bytes(w).map_or(width, |b| 8 * b as u8) };
            self.at += 1;
        }
        if width == 0 {
            return self.fail("registers have no type");
        }
        loop {
            let name = self.word()?;
            let taken = if self.accept('<') {
                let count = self.int()?;
                self.expect('>')?;
                scopes.register_range(&name, u32::try_from(count).unwrap_or(u32::MAX), width)
            } else {
                scopes.register(&name, width)
            };
            if taken.is_none() {
                return self.fail("more registers than any kernel has");
            }
            if self.accept(';') {
                return Ok(());
            }
            self.expect(',')?;
        }
    }

    fn variable(&mut self, space: &str, scopes: &mut Scopes) -> Result<()> {
        let declared = self.declaration()?;
        for (name, count) in declared.names {
            let bytes = count * declared.element;
            let placed = match space {
                ".param" => scopes.param(&name, declared.align, bytes),
                ".local" => scopes.local(&name, declared.align, bytes),
                _ if scopes.kernel && bytes > 0 => scopes.shared(&name, declared.align, bytes),
                _ => {
                    let at = self.place_shared(declared.align, bytes)?;
                    scopes.name(&name, Operand::Var(Space::Shared, at));
                    Some(at)
                }
            };
            if placed.is_none() {
                return self.fail(format!("{name} is too large"));
            }
        }
        self.expect(';')
    }

    fn operand(&mut self, scopes: &Scopes) -> Result<Operand> {
        let first = self.simple_operand(scopes)?;
        if self.accept('|') {
            let second = self.simple_operand(scopes)?;
            return Ok(Operand::Pair(Box::new(first), Box::new(second)));
        }
        Ok(first)
    }

    fn simple_operand(&mut self, scopes: &Scopes) -> Result<Operand> {
        self.nest()?;
        let operand = self.operand_at(scopes);
        self.nesting -= 1;
        operand
    }

    pub(super) fn nest(&mut self) -> Result<()> {
        self.nesting += 1;
        if self.nesting > 16 { self.fail("brackets nest too deep") } else { Ok(()) }
    }

    fn operand_at(&mut self, scopes: &Scopes) -> Result<Operand> {
        match self.next()? {
            Token::Punct('!') => Ok(Operand::Not(Box::new(self.simple_operand(scopes)?))),
            Token::Punct('-') => match self.next()? {
                Token::Int(n) => Ok(Operand::Int(n.wrapping_neg())),
                Token::F32(b) => Ok(Operand::F32(b ^ 1 << 31)),
                Token::F64(b) => Ok(Operand::F64(b ^ 1 << 63)),
                Token::Word(w) => match named(&w, scopes) {
                    operand @ (Operand::Reg(_) | Operand::Part(..)) => Ok(Operand::Negated(Box::new(operand))),
                    _ => self.fail(format!("{w} cannot be negated")),
                },
                other => self.fail(format!("{other:?} cannot be negated")),
            },
            Token::Punct('[') => {
                let base = self.simple_operand(scopes)?;
                let (base, mut offset) = match base {
                    Operand::Offset(base, offset) => (*base, offset),
                    base => (base, 0),
                };
                if self.accept('+') {
                    offset = offset.wrapping_add(self.signed()?);
                }
                // A texture and its coordinates.
                if self.accept(',') {
                    let mut all = vec![base];
                    all.extend(self.list(']', scopes)?);
                    return Ok(Operand::List(all));
                }
                self.expect(']')?;
                Ok(Operand::Mem(Box::new(base), offset))
            }
            Token::Punct('{') => self.list('}', scopes).map(Operand::Vector),
            Token::Punct('(') => self.list(')', scopes).map(Operand::List),
            Token::Int(n) => Ok(Operand::Int(n)),
            Token::F32(b) => Ok(Operand::F32(b)),
            Token::F64(b) => Ok(Operand::F64(b)),
            Token::Word(w) if w == "_" => Ok(Operand::Sink),
            Token::Word(w) => {
                let operand = named(&w, scopes);
                if self.is('+') && !matches!(operand, Operand::Label(_)) {
                    self.at += 1;
                    let offset = self.signed()?;
                    return Ok(Operand::Offset(Box::new(operand), offset));
                }
                Ok(operand)
            }
            other => {
                self.at -= 1;
                self.fail(format!("{other:?} is no operand"))
            }
        }
    }

    fn signed(&mut self) -> Result<i64> {
        let negative = self.accept('-');
        let n = self.int()? as i64;
        Ok(if negative { n.wrapping_neg() } else { n })
    }

    fn list(&mut self, end: char, scopes: &Scopes) -> Result<Vec<Operand>> {
        let mut operands = Vec::new();
        while !self.accept(end) {
            operands.push(self.simple_operand(scopes)?);
            if !self.is(end) {
                self.expect(',')?;
            }
        }
        Ok(operands)
    }
}

/// Resolves a name: a declared name, a part of a register (`a.b0`), a special register, or a symbol.
fn named(word: &str, scopes: &Scopes) -> Operand {
    if let Some(found) = scopes.find(word) {
        return found;
    }
    if let Some((register, part)) = word.rsplit_once('.')
        && let Some(Operand::Reg(slot)) = scopes.find(register)
    {
        return Operand::Part(slot, part.into());
    }
    match word {
        "WARP_SZ" => Operand::Int(32),
        _ if word.starts_with('%') => Operand::Special(word.into()),
        _ => Operand::Symbol(word.into()),
    }
}

//! Parser: tokens to declarations: modules, variables, the heads of functions.

use std::collections::HashMap;

use super::lexer::{Lexed, Token, lex};
use super::scope::Scopes;
use super::source::Location;
use super::{DYNAMIC_SHARED, FunctionText, GlobalText, ModuleText, Operand, Space, Variable};
use crate::PtxError;

pub(super) type Result<T> = std::result::Result<T, PtxError>;

/// Maximum size of a variable in bytes; a bound for malicious sources.
const MAX_VARIABLE: u64 = 1 << 28;

pub(crate) fn parse(text: &str) -> Result<ModuleText> {
    let tokens = lex(text)?;
    let mut parser = Parser { tokens, at: 0, module: ModuleText::default(), shared: HashMap::new(), nesting: 0 };
    parser.module()?;
    parser.module.sources.annotate(text);
    Ok(parser.module)
}

pub(super) struct Parser {
    pub(super) tokens: Vec<Lexed>,
    pub(super) at: usize,
    pub(super) module: ModuleText,
    /// Offsets of module-level shared variables.
    shared: HashMap<String, u64>,
    /// Number of open brackets; bounded, because each is a recursive call.
    pub(super) nesting: u32,
}

/// The parts of a declaration between its space and its end.
pub(super) struct Declaration {
    pub(super) names: Vec<(String, u64)>,
    pub(super) align: u64,
    pub(super) element: u64,
}

impl Parser {
    pub(super) fn line(&self) -> u32 {
        self.tokens.get(self.at.min(self.tokens.len().saturating_sub(1))).map_or(1, |t| t.line)
    }

    pub(super) fn fail<T>(&self, message: impl Into<String>) -> Result<T> {
        Err(PtxError::new(self.line(), message))
    }

    pub(super) fn peek(&self) -> Option<&Token> {
        self.tokens.get(self.at).map(|t| &t.token)
    }

    pub(super) fn next(&mut self) -> Result<Token> {
        match self.tokens.get(self.at) {
            Some(t) => {
                self.at += 1;
                Ok(t.token.clone())
            }
            None => self.fail("the text ends in the middle of a statement"),
        }
    }

    pub(super) fn is(&self, c: char) -> bool {
        self.peek() == Some(&Token::Punct(c))
    }

    pub(super) fn accept(&mut self, c: char) -> bool {
        let found = self.is(c);
        self.at += usize::from(found);
        found
    }

    pub(super) fn expect(&mut self, c: char) -> Result<()> {
        if self.accept(c) { Ok(()) } else { self.fail(format!("expected {c:?}, found {:?}", self.peek())) }
    }

    pub(super) fn word(&mut self) -> Result<String> {
        match self.next()? {
            Token::Word(w) => Ok(w),
            other => {
                self.at -= 1;
                self.fail(format!("expected a name, found {other:?}"))
            }
        }
    }

    pub(super) fn int(&mut self) -> Result<u64> {
        match self.next()? {
            Token::Int(n) => Ok(n),
            other => {
                self.at -= 1;
                self.fail(format!("expected an integer, found {other:?}"))
            }
        }
    }

    pub(super) fn skip_past(&mut self, c: char) -> Result<()> {
        while self.next()? != Token::Punct(c) {}
        Ok(())
    }

    /// Skips the rest of a line.
    pub(super) fn skip_line(&mut self, line: u32) {
        while self.at < self.tokens.len() && self.tokens[self.at].line == line {
            self.at += 1;
        }
    }

    fn module(&mut self) -> Result<()> {
        while self.peek().is_some() {
            let line = self.line();
            match self.word()?.as_str() {
                ".file" => {
                    if let (Some(&Token::Int(number)), Some(Token::Text(name))) =
                        (self.peek(), self.tokens.get(self.at + 1).map(|t| &t.token))
                    {
                        let name = name.rsplit('/').next().unwrap_or_default().to_string();
                        self.module.sources.files.insert(number as u32, name);
                    }
                    self.skip_line(line);
                }
                ".version" | ".target" | ".address_size" => {
                    self.skip_line(line);
                }
                ".section" => {
                    self.skip_past('{')?;
                    self.skip_past('}')?;
                }
                ".pragma" => self.skip_past(';')?,
                ".visible" | ".extern" | ".weak" | ".common" => {}
                ".entry" => self.function(true)?,
                ".func" => self.function(false)?,
                space @ (".global" | ".const") => self.global(space == ".const")?,
                ".shared" => {
                    let declared = self.declaration()?;
                    for (name, count) in declared.names {
                        let at = self.place_shared(declared.align, count * declared.element)?;
                        self.shared.insert(name, at);
                    }
                    self.expect(';')?;
                }
                other => return self.fail(format!("unknown directive {other}")),
            }
        }
        Ok(())
    }

    /// Assigns shared variables offsets in one layout of the module; a size of 0 is dynamic and starts after the rest.
    pub(super) fn place_shared(&mut self, align: u64, bytes: u64) -> Result<u64> {
        if bytes == 0 {
            return Ok(DYNAMIC_SHARED);
        }
        let at = self.module.shared.place(align, bytes);
        if self.module.shared.bytes > 1 << 20 { self.fail("more shared memory than any device has") } else { Ok(at) }
    }

    /// Parses `.align 8 .b8 name[16], other[4]`.
    pub(super) fn declaration(&mut self) -> Result<Declaration> {
        let mut align = None;
        let mut element = 0;
        let mut lanes = 1;
        loop {
            match self.peek() {
                Some(Token::Word(w)) if w.starts_with('.') => {
                    let w = self.word()?;
                    match w.as_str() {
                        ".align" => align = Some(self.int()?),
                        ".ptr" | ".global" | ".const" | ".shared" | ".local" => {}
                        ".v2" => lanes = 2,
                        ".v4" => lanes = 4,
                        ".attribute" => self.skip_past(')')?,
                        ty => match type_bytes(ty) {
                            Some(b) => element = b,
                            None => return self.fail(format!("unknown type {ty}")),
                        },
                    }
                }
                _ => break,
            }
        }
        element *= lanes;
        if element == 0 {
            return self.fail("a variable has no type");
        }
        let align = align.unwrap_or(element);
        if !align.is_power_of_two() || align > 1 << 12 {
            return self.fail(format!("{align} is not an alignment"));
        }
        let mut names = Vec::new();
        loop {
            let name = self.word()?;
            let mut count = 1u64;
            while self.accept('[') {
                if self.accept(']') {
                    count = 0;
                    continue;
                }
                let n = self.int()?;
                count = count.saturating_mul(n);
                self.expect(']')?;
            }
            if count.saturating_mul(element) > MAX_VARIABLE {
                return self.fail(format!("{name} is too large"));
            }
            names.push((name, count));
            if self.is(',')
                && matches!(self.tokens.get(self.at + 1).map(|t| &t.token), Some(Token::Word(w)) if !w.starts_with('.'))
            {
                self.at += 1;
                continue;
            }
            return Ok(Declaration { names, align, element });
        }
    }

    fn global(&mut self, constant: bool) -> Result<()> {
        let declared = self.declaration()?;
        let mut names = declared.names.into_iter();
        let Some((name, mut count)) = names.next() else { return self.fail("a variable has no name") };
        let mut init = None;
        let mut addresses = Vec::new();
        if self.accept('=') {
            let mut bytes = Vec::new();
            self.initializer(declared.element as usize, &mut bytes, &mut addresses)?;
            count = count.max(bytes.len() as u64 / declared.element);
            bytes.resize((count * declared.element) as usize, 0);
            init = Some(bytes);
        }
        for (name, count, init) in
            std::iter::once((name, count, init)).chain(names.map(|(name, count)| (name, count, None)))
        {
            self.module.globals.push(GlobalText {
                name,
                bytes: count * declared.element,
                constant,
                init,
                addresses: std::mem::take(&mut addresses),
            });
        }
        self.expect(';')
    }

    fn initializer(
        &mut self,
        element: usize,
        bytes: &mut Vec<u8>,
        addresses: &mut Vec<(usize, String, u64)>,
    ) -> Result<()> {
        if self.accept('{') {
            self.nest()?;
            while !self.accept('}') {
                self.initializer(element, bytes, addresses)?;
                if bytes.len() as u64 > MAX_VARIABLE {
                    return self.fail("an initializer is too large");
                }
                self.accept(',');
            }
            self.nesting -= 1;
            return Ok(());
        }
        let negative = self.accept('-');
        let raw = match self.next()? {
            Token::Int(n) => {
                if negative {
                    n.wrapping_neg()
                } else {
                    n
                }
            }
            Token::F32(b) => u64::from(b) ^ (u64::from(negative) << 31),
            Token::F64(b) => b ^ (u64::from(negative) << 63),
            Token::Word(w) => {
                let symbol = if w == "generic" && self.accept('(') {
                    let inner = self.word()?;
                    self.expect(')')?;
                    inner
                } else {
                    w
                };
                let offset = if self.accept('+') { self.int()? } else { 0 };
                addresses.push((bytes.len(), symbol, offset));
                0
            }
            other => return self.fail(format!("{other:?} is no initial value")),
        };
        bytes.extend(raw.to_le_bytes().into_iter().chain([0; 8]).take(element));
        Ok(())
    }

    fn function(&mut self, entry: bool) -> Result<()> {
        // Line information of the previous function does not apply to this one.
        self.module.sources.locations.push(Location { from: self.line(), lines: Vec::new() });
        let mut scopes = Scopes::default();
        scopes.kernel = entry;
        scopes.open();
        for (name, at) in &self.shared {
            scopes.name(name, Operand::Var(Space::Shared, *at));
        }
        let mut f = FunctionText { entry, ..FunctionText::default() };
        let mut returns = Vec::new();
        if !entry && self.is('(') {
            returns = self.formal_list()?;
        }
        f.name = self.word()?;
        let params = if self.is('(') { self.formal_list()? } else { Vec::new() };
        for (formals, into) in [(params, &mut f.params), (returns, &mut f.returns)] {
            for (name, align, bytes) in formals {
                match scopes.param(&name, align, bytes) {
                    Some(offset) => into.push(Variable { offset, bytes }),
                    None => return self.fail("more parameters than any kernel has"),
                }
            }
        }
        loop {
            match self.peek() {
                Some(Token::Punct('{')) => break,
                Some(Token::Punct(';')) => {
                    self.at += 1;
                    return Ok(());
                }
                _ => {
                    let directive = self.word()?;
                    let mut product = 1u32;
                    while let Some(&Token::Int(n)) = self.peek() {
                        self.at += 1;
                        product = product.saturating_mul(n.try_into().unwrap_or(u32::MAX));
                        self.accept(',');
                    }
                    if matches!(directive.as_str(), ".maxntid" | ".reqntid") {
                        f.max_threads = Some(product);
                    }
                }
            }
        }
        self.body(&mut f, &mut scopes)?;
        f.registers = scopes.registers;
        f.widths = std::mem::take(&mut scopes.widths);
        f.variables = std::mem::take(&mut scopes.variables);
        f.param_bytes = scopes.param_bytes;
        f.local_bytes = scopes.local_bytes;
        f.shared = std::mem::take(&mut scopes.shared);
        self.module.functions.push(f);
        Ok(())
    }

    /// Parses `(.param .b64 a, .param .align 8 .b8 b[16])` to names, alignments and sizes.
    fn formal_list(&mut self) -> Result<Vec<(String, u64, u64)>> {
        let mut formals = Vec::new();
        self.expect('(')?;
        while !self.accept(')') {
            match self.word()?.as_str() {
                ".param" | ".reg" => {}
                other => return self.fail(format!("expected a parameter, found {other}")),
            }
            let declared = self.declaration()?;
            for (name, count) in declared.names {
                formals.push((name, declared.align, count * declared.element));
            }
            self.accept(',');
        }
        Ok(formals)
    }
}

/// Returns the bytes of a fundamental type: `.u32` is 4.
pub(crate) fn type_bytes(ty: &str) -> Option<u64> {
    Some(match ty.trim_start_matches('.') {
        "b8" | "u8" | "s8" => 1,
        "b16" | "u16" | "s16" | "f16" | "bf16" => 2,
        "b32" | "u32" | "s32" | "f32" | "f16x2" | "bf16x2" | "pred" => 4,
        "b64" | "u64" | "s64" | "f64" => 8,
        "b128" => 16,
        _ => return None,
    })
}

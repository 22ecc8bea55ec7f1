//! Translation of Rust statements and expressions to C++.
//!
//! Types are inferred from left to right and from the outside in: a literal takes the type of the other operand, or of
//! the target of an assignment. If nothing determines a type, an error requests an annotation.

use std::fmt::Write as _;

use syn::{BinOp, Block, Error, Expr, Lit, Local, Pat, RangeLimits, Result, Stmt, UnOp};

use super::calls::{self, Gives};
use super::types::{self, Ty};

mod expressions;

use expressions::weak;

/// A value: its C++ source and its Rust type.
struct Value {
    text: String,
    ty: Ty,
}

/// A name in scope.
struct Name {
    name: String,
    ty: Ty,
    mutable: bool,
    /// The C++ identifier.
    c: String,
}

/// A call of a `#[kernel_fn]`: its path, and the types of its arguments and result.
pub(super) struct CalledFunction {
    pub(super) path: syn::Path,
    pub(super) arguments: Vec<Ty>,
    pub(super) result: Ty,
}

/// The state of translating a function.
pub(super) struct Translation {
    names: Vec<Name>,
    generics: Vec<String>,
    result: Ty,
    text: String,
    depth: usize,
    /// The number of generated C++ identifiers.
    made: usize,
    unsafely: usize,
    pub(super) called: Vec<CalledFunction>,
}

fn reject<T>(at: impl quote::ToTokens, why: &str) -> Result<T> {
    Err(Error::new_spanned(at, why))
}

fn bare(name: &str, arguments: &[Expr], at: &Expr) -> Result<()> {
    if arguments.is_empty() { Ok(()) } else { reject(at, &format!("`{name}` takes no arguments")) }
}

impl Translation {
    pub(super) fn new(parameters: Vec<(String, Ty, bool)>, generics: Vec<String>, result: Ty) -> Translation {
        let names = parameters
            .into_iter()
            .map(|(name, ty, mutable)| Name { c: format!("{name}_"), name, ty, mutable })
            .collect();
        Translation { names, generics, result, text: String::new(), depth: 1, made: 0, unsafely: 0, called: vec![] }
    }

    /// Translates the body, and returns the source between the braces.
    pub(super) fn body(mut self, block: &Block) -> Result<(String, Vec<CalledFunction>)> {
        let result = self.result.clone();
        let value = self.statements(&block.stmts, Some(&result))?;
        match value {
            Some(value) if result != Ty::Unit => self.line(&format!("return {};", value.text)),
            Some(value) => self.line(&format!("{};", value.text)),
            None => {}
        }
        Ok((self.text, self.called))
    }

    fn line(&mut self, text: &str) {
        let _ = writeln!(self.text, "{:1$}{text}", "", 2 * self.depth);
    }

    /// Translates the statements of a block; returns the value of the last one, if it has one and one is wanted.
    fn statements(&mut self, all: &[Stmt], wanted: Option<&Ty>) -> Result<Option<Value>> {
        for (k, statement) in all.iter().enumerate() {
            let last = k + 1 == all.len();
            match statement {
                Stmt::Local(local) => self.local(local)?,
                Stmt::Expr(e, semicolon) => {
                    let tail = last && semicolon.is_none() && wanted.is_some_and(|ty| *ty != Ty::Unit);
                    // An infinite loop returns its value by `return`.
                    let loops = matches!(e, Expr::Return(_) | Expr::Loop(_) | Expr::While(_) | Expr::ForLoop(_));
                    if tail && !loops {
                        return self.value(e, wanted).map(Some);
                    }
                    self.statement(e)?;
                }
                Stmt::Item(item) => return reject(item, "a kernel has no items in it"),
                Stmt::Macro(call) => return reject(call, "a kernel has no macros in it"),
            }
        }
        Ok(None)
    }

    fn local(&mut self, local: &Local) -> Result<()> {
        let (pat, ty) = match &local.pat {
            Pat::Type(typed) => (&*typed.pat, Some(types::of(&typed.ty, &self.generics)?)),
            pat => (pat, None),
        };
        let Pat::Ident(name) = pat else { return reject(pat, "`let` names one value in a kernel") };
        let Some(init) = &local.init else {
            return reject(local, "`let` has a value in a kernel: `let x: f32 = 0.0;`");
        };
        if let Some((_, otherwise)) = &init.diverge {
            return reject(otherwise, "a kernel has no `let … else`");
        }
        let c = format!("{}_{}", name.ident, self.made);
        self.made += 1;
        if let Some(shared) = self.shared(&init.expr) {
            let ty = shared?;
            if let Ty::Shared(of, n) = &ty {
                self.line(&format!("__shared__ {} {c}[{n}];", of.c()));
            }
            self.names.push(Name { name: name.ident.to_string(), ty, mutable: true, c });
            return Ok(());
        }
        let value = self.value(&init.expr, ty.as_ref())?;
        if value.ty == Ty::Unit {
            return reject(&init.expr, "this has no value");
        }
        if value.ty.elements().is_some() {
            self.names.push(Name { name: name.ident.to_string(), ty: value.ty, mutable: false, c: value.text });
            return Ok(());
        }
        self.line(&format!("{} {c} = {};", value.ty.c(), value.text));
        let mutable = name.mutability.is_some();
        self.names.push(Name { name: name.ident.to_string(), ty: value.ty, mutable, c });
        Ok(())
    }

    fn shared(&self, e: &Expr) -> Option<Result<Ty>> {
        let Expr::Call(call) = e else { return None };
        let Expr::Path(path) = &*call.func else { return None };
        let last = path.path.segments.last().filter(|s| s.ident == "shared")?;
        let found = types::shared(&last.arguments, &self.generics);
        Some(found.unwrap_or_else(|| reject(e, "a shared array is `shared::<[f32; 256]>()`")))
    }

    /// Translates a block with its own scope.
    fn block(&mut self, block: &Block) -> Result<()> {
        let known = self.names.len();
        self.depth += 1;
        self.statements(&block.stmts, None)?;
        self.depth -= 1;
        self.names.truncate(known);
        Ok(())
    }

    fn statement(&mut self, e: &Expr) -> Result<()> {
        match e {
            Expr::If(branch) => {
                let condition = self.value(&branch.cond, Some(&Ty::Bool))?;
                self.line(&format!("if ({}) {{", condition.text));
                self.block(&branch.then_branch)?;
                if let Some((_, other)) = &branch.else_branch {
                    self.line("} else {");
                    match &**other {
                        Expr::Block(other) => self.block(&other.block)?,
                        other => {
                            self.depth += 1;
                            self.statement(other)?;
                            self.depth -= 1;
                        }
                    }
                }
                self.line("}");
            }
            Expr::While(each) => {
                self.line("while (true) {");
                self.depth += 1;
                let condition = self.value(&each.cond, Some(&Ty::Bool))?;
                self.line(&format!("if (!({})) break;", condition.text));
                self.depth -= 1;
                self.block(&each.body)?;
                self.line("}");
            }
            Expr::Loop(each) => {
                self.line("while (true) {");
                self.block(&each.body)?;
                self.line("}");
            }
            Expr::ForLoop(each) => self.for_loop(each)?,
            Expr::Match(chosen) => self.choose(chosen)?,
            Expr::Block(inner) => {
                self.line("{");
                self.block(&inner.block)?;
                self.line("}");
            }
            Expr::Unsafe(inner) => {
                self.unsafely += 1;
                self.line("{");
                self.block(&inner.block)?;
                self.line("}");
                self.unsafely -= 1;
            }
            Expr::Break(out) if out.expr.is_none() && out.label.is_none() => self.line("break;"),
            Expr::Continue(out) if out.label.is_none() => self.line("continue;"),
            Expr::Return(back) => match (&back.expr, self.result.clone()) {
                (None, Ty::Unit) => self.line("return;"),
                (Some(e), ty) if ty != Ty::Unit => {
                    let value = self.value(e, Some(&ty))?;
                    self.line(&format!("return {};", value.text));
                }
                _ => return reject(back, "the function gives something else"),
            },
            Expr::Assign(put) => {
                let target = self.place_expr(&put.left)?;
                let value = self.value(&put.right, Some(&target.ty))?;
                self.put(&target, &value.text);
            }
            Expr::Binary(both) if assigned(&both.op).is_some() => {
                let op = assigned(&both.op).unwrap_or(BinOp::Add(Default::default()));
                let target = self.place_expr(&both.left)?;
                let shift = matches!(op, BinOp::Shl(_) | BinOp::Shr(_));
                let right = self.value(&both.right, Some(if shift { &Ty::U32 } else { &target.ty }))?;
                let (text, ty) = (target.read.clone(), target.ty.clone());
                let value = self.combine(e, &op, Value { text, ty }, right)?;
                self.put(&target, &value.text);
            }
            e => {
                let value = self.value(e, None)?;
                self.line(&format!("{};", value.text));
            }
        }
        Ok(())
    }

    fn for_loop(&mut self, each: &syn::ExprForLoop) -> Result<()> {
        let Pat::Ident(name) = &*each.pat else {
            if matches!(&*each.pat, Pat::Wild(_)) {
                return reject(&each.pat, "give the number a name, as `_i`");
            }
            return reject(&each.pat, "a loop counts one number");
        };
        let (range, step) = match &*each.expr {
            Expr::MethodCall(call) if call.method == "step_by" && call.args.len() == 1 => {
                (strip(&call.receiver), call.args.first())
            }
            e => (strip(e), None),
        };
        let Expr::Range(range) = range else {
            return reject(&each.expr, "a kernel's loop runs over a range: `0..n`, or `(0..n).step_by(k)`");
        };
        let (Some(from), Some(to)) = (&range.start, &range.end) else {
            return reject(range, "the range has two ends");
        };
        // The bound that is not a literal determines the type.
        let (from, to) = if is_literal(from) && !is_literal(to) {
            let to = self.value(to, None)?;
            (self.value(from, Some(&to.ty))?, to)
        } else {
            let from = self.value(from, Some(&Ty::I32).filter(|_| is_literal(from) && is_literal(to)))?;
            let to = self.value(to, Some(&from.ty))?;
            (from, to)
        };
        if !from.ty.is_int() || from.ty != to.ty {
            return reject(range, "a loop counts integers of one type");
        }
        let by = match step {
            Some(step) => self.value(step, Some(&Ty::USIZE))?.text,
            None => "1".into(),
        };
        let (c, end, ty) = (format!("{}_{}", name.ident, self.made), format!("end_{}", self.made), from.ty.c());
        self.made += 1;
        let until = if matches!(range.limits, RangeLimits::Closed(_)) { "<=" } else { "<" };
        let head = format!("for ({ty} {c} = {}, {end} = {}; {c} {until} {end}; {c} += {by}) {{", from.text, to.text);
        self.line(&head);
        self.names.push(Name { name: name.ident.to_string(), ty: from.ty, mutable: false, c });
        self.block(&each.body)?;
        self.names.pop();
        self.line("}");
        Ok(())
    }

    fn choose(&mut self, chosen: &syn::ExprMatch) -> Result<()> {
        let value = self.value(&chosen.expr, None)?;
        if !value.ty.is_int() {
            return reject(&chosen.expr, "a kernel's `match` takes an integer");
        }
        let c = format!("chosen_{}", self.made);
        self.made += 1;
        self.line(&format!("const {} {c} = {};", value.ty.c(), value.text));
        for (k, arm) in chosen.arms.iter().enumerate() {
            if let Some((_, guard)) = &arm.guard {
                return reject(guard, "a kernel's `match` has no guards");
            }
            let test = self.pattern(&arm.pat, &c, &value.ty)?;
            self.line(&format!("{}if ({test}) {{", if k == 0 { "" } else { "else " }));
            self.depth += 1;
            self.statement(&arm.body)?;
            self.depth -= 1;
            self.line("}");
        }
        Ok(())
    }

    fn pattern(&mut self, pat: &Pat, c: &str, ty: &Ty) -> Result<String> {
        match pat {
            Pat::Wild(_) => Ok("true".into()),
            Pat::Or(all) => {
                let each = all.cases.iter().map(|p| self.pattern(p, c, ty)).collect::<Result<Vec<_>>>()?;
                Ok(each.join(" || "))
            }
            Pat::Lit(literal) => Ok(format!("{c} == {}", self.value(&Expr::Lit(literal.clone()), Some(ty))?.text)),
            Pat::Range(range) => match (&range.start, &range.end) {
                (Some(from), Some(to)) => {
                    let (from, to) = (self.value(from, Some(ty))?, self.value(to, Some(ty))?);
                    let until = if matches!(range.limits, RangeLimits::Closed(_)) { "<=" } else { "<" };
                    Ok(format!("({c} >= {} && {c} {until} {})", from.text, to.text))
                }
                _ => reject(pat, "the range has two ends"),
            },
            _ => reject(pat, "a kernel's `match` has integers, ranges of them, `|` and `_`"),
        }
    }

    /// Translates the target of an assignment.
    fn place_expr(&mut self, e: &Expr) -> Result<PlaceExpr> {
        match strip(e) {
            Expr::Path(path) => {
                let name = path.path.get_ident().map(ToString::to_string).unwrap_or_default();
                let Some(found) = self.names.iter().rev().find(|n| n.name == name) else {
                    return reject(path, "this name is not known here");
                };
                if found.ty.elements().is_some() {
                    return reject(path, "one element at a time is put into an array: `y[i] = x`");
                }
                if !found.mutable {
                    return reject(path, &format!("`{name}` does not change: `let mut {name}` would"));
                }
                Ok(PlaceExpr { read: found.c.clone(), write: format!("{} = (VALUE)", found.c), ty: found.ty.clone() })
            }
            Expr::Index(index) => {
                let (array, at) = self.element(&index.expr, &index.index)?;
                let Some((of, writable)) = array.ty.elements().map(|(of, w)| (of.clone(), w)) else {
                    return reject(&index.expr, "this is no array");
                };
                if !writable {
                    return reject(&index.expr, "this array is read alone: `&mut [T]` is written");
                }
                let target = self.checked(&array, &at);
                Ok(PlaceExpr { read: format!("get({target})"), write: format!("set({target}, VALUE)"), ty: of })
            }
            Expr::Unary(unary) if matches!(unary.op, UnOp::Deref(_)) => {
                let (array, at) = self.unchecked(&unary.expr, "get_unchecked_mut")?;
                let Some((of, true)) = array.ty.elements().map(|(of, w)| (of.clone(), w)) else {
                    return reject(&unary.expr, "this array is read alone: `&mut [T]` is written");
                };
                let text = format!("{}[{at}]", self.data(&array));
                Ok(PlaceExpr { read: text.clone(), write: format!("{text} = (VALUE)"), ty: of })
            }
            e => reject(e, "something is put into a variable or into an element of an array"),
        }
    }

    fn put(&mut self, target: &PlaceExpr, value: &str) {
        let line = target.write.replace("VALUE", value);
        self.line(&format!("{line};"));
    }

    /// Translates an array and the index of an element.
    fn element(&mut self, array: &Expr, index: &Expr) -> Result<(Value, String)> {
        let array = self.value(array, None)?;
        let index_value = self.value(index, Some(&Ty::USIZE))?;
        if index_value.ty != Ty::USIZE {
            return reject(
                index,
                &format!("an index is usize, and this is {}: write `as usize`", index_value.ty.rust()),
            );
        }
        Ok((array, index_value.text))
    }

    /// Returns the arguments of a bounds-checked access.
    fn checked(&self, array: &Value, at: &str) -> String {
        match &array.ty {
            Ty::Shared(_, n) => format!("{}, {n}ull, {at}, rejecting_", array.text),
            _ => format!("{0}.data, {0}.length, {at}, rejecting_", array.text),
        }
    }

    fn data(&self, array: &Value) -> String {
        if matches!(array.ty, Ty::Shared(..)) { array.text.clone() } else { format!("{}.data", array.text) }
    }

    /// Translates the array and the index of `x.get_unchecked(i)`.
    fn unchecked(&mut self, e: &Expr, method: &str) -> Result<(Value, String)> {
        match strip(e) {
            Expr::MethodCall(call) if call.method == method && call.args.len() == 1 => {
                if self.unsafely == 0 {
                    return reject(call, &format!("`{method}` checks no bounds: it is called in `unsafe`"));
                }
                self.element(&call.receiver, &call.args[0])
            }
            e => reject(e, &format!("`*` is only written before `{method}` alone")),
        }
    }
}

struct PlaceExpr {
    read: String,
    /// The statement, with `VALUE` in place of the assigned value.
    write: String,
    ty: Ty,
}

/// Returns the operator of a compound assignment such as `+=`.
fn assigned(op: &BinOp) -> Option<BinOp> {
    Some(match op {
        BinOp::AddAssign(_) => BinOp::Add(Default::default()),
        BinOp::SubAssign(_) => BinOp::Sub(Default::default()),
        BinOp::MulAssign(_) => BinOp::Mul(Default::default()),
        BinOp::DivAssign(_) => BinOp::Div(Default::default()),
        BinOp::RemAssign(_) => BinOp::Rem(Default::default()),
        BinOp::BitAndAssign(_) => BinOp::BitAnd(Default::default()),
        BinOp::BitOrAssign(_) => BinOp::BitOr(Default::default()),
        BinOp::BitXorAssign(_) => BinOp::BitXor(Default::default()),
        BinOp::ShlAssign(_) => BinOp::Shl(Default::default()),
        BinOp::ShrAssign(_) => BinOp::Shr(Default::default()),
        _ => return None,
    })
}

/// Returns the expression of a block that has nothing else.
fn alone(block: &Block) -> Option<&Expr> {
    match &block.stmts[..] {
        [Stmt::Expr(e, None)] => Some(e),
        _ => None,
    }
}

fn strip(e: &Expr) -> &Expr {
    match e {
        Expr::Paren(inner) => strip(&inner.expr),
        Expr::Group(inner) => strip(&inner.expr),
        e => e,
    }
}

fn is_literal(e: &Expr) -> bool {
    match strip(e) {
        Expr::Lit(_) => true,
        Expr::Unary(unary) => is_literal(&unary.expr),
        _ => false,
    }
}

/// Returns whether the type of a call is determined by the call itself.
fn known(call: &syn::ExprCall) -> bool {
    let Expr::Path(path) = &*call.func else { return false };
    let name = path.path.segments.last().map(|s| s.ident.to_string()).unwrap_or_default();
    calls::builtin(&name).is_some()
        || calls::vote(&name).is_some()
        || calls::atomic(&name).is_some()
        || name == "atomic_compare_exchange"
        || (calls::shuffle(&name).is_some() && call.args.first().is_some_and(|a| !weak(a)))
}

//! Translation of expressions.

use super::*;

impl Translation {
    /// Translates a value, of a type if one is wanted.
    pub(super) fn value(&mut self, e: &Expr, wanted: Option<&Ty>) -> Result<Value> {
        let value = self.any(e, wanted)?;
        match wanted {
            Some(ty) if *ty != value.ty => {
                reject(e, &format!("this is {}, and {} is wanted: `as` converts", value.ty.rust(), ty.rust()))
            }
            _ => Ok(value),
        }
    }

    fn any(&mut self, e: &Expr, wanted: Option<&Ty>) -> Result<Value> {
        match e {
            Expr::Paren(inner) => {
                let value = self.any(&inner.expr, wanted)?;
                Ok(Value { text: format!("({})", value.text), ..value })
            }
            Expr::Group(inner) => self.any(&inner.expr, wanted),
            Expr::Lit(literal) => self.literal(&literal.lit, wanted),
            Expr::Path(path) => self.path(path),
            Expr::Cast(cast) => self.cast(cast),
            Expr::Unary(unary) => self.unary(unary, wanted),
            Expr::Binary(both) => self.binary(both, wanted),
            Expr::Index(index) => {
                let (array, at) = self.element(&index.expr, &index.index)?;
                let Some((of, _)) = array.ty.elements() else { return reject(&index.expr, "this is no array") };
                Ok(Value { text: format!("get({})", self.checked(&array, &at)), ty: of.clone() })
            }
            Expr::MethodCall(call) => self.method(call, wanted),
            Expr::Call(call) => self.call(call, wanted),
            Expr::Unsafe(inner) if alone(&inner.block).is_some() => {
                self.unsafely += 1;
                let value = match alone(&inner.block) {
                    Some(e) => self.any(e, wanted),
                    None => reject(e, "this block gives no value"),
                };
                self.unsafely -= 1;
                value
            }
            Expr::If(_) | Expr::Block(_) | Expr::Unsafe(_) => self.valued(e, wanted),
            e => reject(e, "a kernel's subset of Rust does not have this"),
        }
    }

    /// Translates a block or a branch with a value, through a C++ variable.
    fn valued(&mut self, e: &Expr, wanted: Option<&Ty>) -> Result<Value> {
        let Some(ty) = wanted.cloned() else {
            return reject(e, "its type is not known: write it, as in `let x: f32 = …`");
        };
        let c = format!("value_{}", self.made);
        self.made += 1;
        self.line(&format!("{} {c};", ty.c()));
        self.into(e, &c, &ty)?;
        Ok(Value { text: c, ty })
    }

    fn into(&mut self, e: &Expr, c: &str, ty: &Ty) -> Result<()> {
        let inner = |this: &mut Translation, block: &Block| -> Result<()> {
            let known = this.names.len();
            this.depth += 1;
            match block.stmts.split_last() {
                Some((Stmt::Expr(last, None), before)) => {
                    this.statements(before, None)?;
                    this.into(last, c, ty)?;
                }
                _ => return reject(block, "this block gives no value"),
            }
            this.depth -= 1;
            this.names.truncate(known);
            Ok(())
        };
        match e {
            Expr::If(branch) => {
                let condition = self.value(&branch.cond, Some(&Ty::Bool))?;
                let Some((_, other)) = &branch.else_branch else {
                    return reject(e, "without `else` there is no value");
                };
                self.line(&format!("if ({}) {{", condition.text));
                inner(self, &branch.then_branch)?;
                self.line("} else {");
                match &**other {
                    Expr::Block(other) => inner(self, &other.block)?,
                    other => self.into(other, c, ty)?,
                }
                self.line("}");
            }
            Expr::Block(block) => {
                self.line("{");
                inner(self, &block.block)?;
                self.line("}");
            }
            Expr::Unsafe(block) => {
                self.unsafely += 1;
                self.line("{");
                inner(self, &block.block)?;
                self.line("}");
                self.unsafely -= 1;
            }
            e => {
                let value = self.value(e, Some(ty))?;
                self.line(&format!("{c} = {};", value.text));
            }
        }
        Ok(())
    }

    fn literal(&self, literal: &Lit, wanted: Option<&Ty>) -> Result<Value> {
        let suffixed = |suffix: &str| -> Result<Option<Ty>> {
            match suffix {
                "" => Ok(None),
                name => Ty::named(name).map(Some).ok_or_else(|| Error::new(literal.span(), "an unknown suffix")),
            }
        };
        let untyped =
            || Error::new(literal.span(), "its type is not known: write it, as in `1.0f32` or `let x: f32 = 1.0`");
        match literal {
            Lit::Bool(b) => Ok(Value { text: b.value.to_string(), ty: Ty::Bool }),
            Lit::Int(number) => {
                let ty = suffixed(number.suffix())?.or_else(|| wanted.cloned()).ok_or_else(untyped)?;
                let digits = number.base10_digits();
                if ty.is_float() {
                    return Err(Error::new(literal.span(), format!("a {} has a point: `{digits}.0`", ty.rust())));
                }
                if !ty.is_number() {
                    return Err(Error::new(literal.span(), format!("this is a number, and {} is wanted", ty.rust())));
                }
                Ok(Value { text: format!("({})({digits}ull)", ty.c()), ty })
            }
            Lit::Float(number) => {
                let ty = suffixed(number.suffix())?.or_else(|| wanted.cloned()).ok_or_else(untyped)?;
                if ty.is_int() || !ty.is_number() {
                    let message = format!("this is a floating-point number, and {} is wanted", ty.rust());
                    return Err(Error::new(literal.span(), message));
                }
                let digits = number.base10_digits();
                let whole = if digits.contains(['.', 'e', 'E']) { digits.into() } else { format!("{digits}.0") };
                // A literal of a type other than double is rounded once.
                let text = if ty == Ty::F64 { format!("({whole})") } else { format!("({})({whole}f)", ty.c()) };
                Ok(Value { text, ty })
            }
            other => reject(other, "a kernel has numbers and truths"),
        }
    }

    fn path(&self, path: &syn::ExprPath) -> Result<Value> {
        let names: Vec<String> = path.path.segments.iter().map(|s| s.ident.to_string()).collect();
        if let [name] = &names[..] {
            return match self.names.iter().rev().find(|n| n.name == *name) {
                Some(found) => Ok(Value { text: found.c.clone(), ty: found.ty.clone() }),
                None => reject(path, &format!("`{name}` is not known here")),
            };
        }
        let constant = match &names[names.len().saturating_sub(2)..] {
            [of, name] => Ty::named(of).and_then(|ty| Some((constant(&ty, name)?, ty))),
            _ => None,
        };
        match constant {
            Some((text, ty)) => Ok(Value { text, ty }),
            None => reject(path, "a kernel does not have this constant"),
        }
    }

    fn cast(&mut self, cast: &syn::ExprCast) -> Result<Value> {
        let ty = types::of(&cast.ty, &self.generics)?;
        // A literal takes the type to which it is converted.
        let literal = is_literal(&cast.expr) && ty.is_number();
        let float = matches!(strip(&cast.expr), Expr::Lit(l) if matches!(l.lit, Lit::Float(_)));
        let hint = match (literal, float) {
            (true, true) => Some(Ty::F64),
            (true, false) => Some(Ty::Int("i64")),
            _ => None,
        };
        let value = self.any(&cast.expr, hint.as_ref())?;
        if value.ty.elements().is_some() || ty.elements().is_some() || ty == Ty::Unit || ty == Ty::Bool {
            return reject(cast, "`as` converts numbers");
        }
        let text = match (&value.ty, &ty) {
            // Out of range the conversion saturates, and NaN becomes zero.
            (Ty::Float(_) | Ty::Generic(_), Ty::Int(_)) => format!("saturated<{}>({})", ty.c(), value.text),
            _ => format!("({})({})", ty.c(), value.text),
        };
        Ok(Value { text, ty })
    }

    fn unary(&mut self, unary: &syn::ExprUnary, wanted: Option<&Ty>) -> Result<Value> {
        match unary.op {
            UnOp::Deref(_) => {
                let (array, at) = self.unchecked(&unary.expr, "get_unchecked")?;
                let Some((of, _)) = array.ty.elements().map(|(of, w)| (of.clone(), w)) else {
                    return reject(&unary.expr, "this is no array");
                };
                Ok(Value { text: format!("{}[{at}]", self.data(&array)), ty: of })
            }
            UnOp::Neg(_) => {
                let value = self.any(&unary.expr, wanted)?;
                match &value.ty {
                    ty if ty.is_int() && !ty.is_signed() => reject(unary, "an unsigned number has no negative"),
                    Ty::Int(_) => {
                        Ok(Value { text: format!("wrapping_sub(({})0, {})", value.ty.c(), value.text), ..value })
                    }
                    ty if ty.is_number() => Ok(Value { text: format!("({})(-({}))", ty.c(), value.text), ..value }),
                    _ => reject(unary, "a number has a negative"),
                }
            }
            UnOp::Not(_) => {
                let value = self.any(&unary.expr, wanted)?;
                match &value.ty {
                    Ty::Bool => Ok(Value { text: format!("(!({}))", value.text), ..value }),
                    ty if ty.is_int() => Ok(Value { text: format!("({})(~({}))", ty.c(), value.text), ..value }),
                    _ => reject(unary, "`!` is of truths and integers"),
                }
            }
            _ => reject(unary, "a kernel's subset of Rust does not have this"),
        }
    }

    fn binary(&mut self, both: &syn::ExprBinary, wanted: Option<&Ty>) -> Result<Value> {
        let compares =
            matches!(both.op, BinOp::Lt(_) | BinOp::Le(_) | BinOp::Gt(_) | BinOp::Ge(_) | BinOp::Eq(_) | BinOp::Ne(_));
        let hint = if compares { None } else { wanted };
        let shift = matches!(both.op, BinOp::Shl(_) | BinOp::Shr(_));
        // The operand that is not a literal determines the type of the literal.
        let (left, right) = if shift {
            (self.any(&both.left, hint)?, self.any(&both.right, Some(&Ty::U32))?)
        } else if weak(&both.left) && !weak(&both.right) {
            let right = self.any(&both.right, hint)?;
            (self.any(&both.left, Some(&right.ty))?, right)
        } else {
            let hint = if weak(&both.left) { hint } else { None };
            let left = self.any(&both.left, hint)?;
            let right = self.any(&both.right, Some(&left.ty))?;
            (left, right)
        };
        self.combine(&Expr::Binary(both.clone()), &both.op, left, right)
    }

    pub(super) fn combine(&mut self, e: &Expr, op: &BinOp, left: Value, right: Value) -> Result<Value> {
        let (ty, a, b) = (left.ty.clone(), left.text, right.text);
        let shift = matches!(op, BinOp::Shl(_) | BinOp::Shr(_));
        if shift {
            if !ty.is_int() || !right.ty.is_int() {
                return reject(e, "integers are shifted");
            }
            let by = format!("((u32)({b}) & {})", ty.bits() - 1);
            let sign = if matches!(op, BinOp::Shl(_)) { "<<" } else { ">>" };
            let of = if ty.is_signed() && sign == "<<" { ty.c().replacen('i', "u", 1) } else { ty.c() };
            return Ok(Value { text: format!("({})(({of})({a}) {sign} {by})", ty.c()), ty });
        }
        if ty != right.ty {
            let message = format!("the two sides are {} and {}: `as` converts", ty.rust(), right.ty.rust());
            return reject(e, &message);
        }
        let number = ty.is_number();
        let (sign, truth) = match op {
            BinOp::Add(_) | BinOp::Sub(_) | BinOp::Mul(_) if ty.is_int() => {
                let name = match op {
                    BinOp::Add(_) => "wrapping_add",
                    BinOp::Sub(_) => "wrapping_sub",
                    _ => "wrapping_mul",
                };
                return Ok(Value { text: format!("{name}<{}>({a}, {b})", ty.c()), ty });
            }
            BinOp::Add(_) if number => ("+", false),
            BinOp::Sub(_) if number => ("-", false),
            BinOp::Mul(_) if number => ("*", false),
            BinOp::Div(_) if number => ("/", false),
            BinOp::Rem(_) if ty.is_int() => ("%", false),
            BinOp::Rem(_) if ty.is_float() => {
                return Ok(Value { text: format!("({0})fmod(({0})({a}), ({0})({b}))", ty.c()), ty });
            }
            BinOp::BitAnd(_) if ty.is_int() || ty == Ty::Bool => ("&", false),
            BinOp::BitOr(_) if ty.is_int() || ty == Ty::Bool => ("|", false),
            BinOp::BitXor(_) if ty.is_int() || ty == Ty::Bool => ("^", false),
            BinOp::And(_) if ty == Ty::Bool => ("&&", true),
            BinOp::Or(_) if ty == Ty::Bool => ("||", true),
            BinOp::Lt(_) => ("<", true),
            BinOp::Le(_) => ("<=", true),
            BinOp::Gt(_) => (">", true),
            BinOp::Ge(_) => (">=", true),
            BinOp::Eq(_) => ("==", true),
            BinOp::Ne(_) => ("!=", true),
            _ => return reject(e, &format!("{} does not have this operator in a kernel", ty.rust())),
        };
        let text = format!("({a} {sign} {b})");
        Ok(match (truth, ty.is_small() || ty == Ty::Bool) {
            (true, _) => Value { text, ty: Ty::Bool },
            // C++ computes in a wider type.
            (false, true) => Value { text: format!("({}){text}", ty.c()), ty },
            (false, false) => Value { text, ty },
        })
    }

    fn method(&mut self, call: &syn::ExprMethodCall, wanted: Option<&Ty>) -> Result<Value> {
        let name = call.method.to_string();
        let receiver_hint = if weak(&call.receiver) { wanted } else { None };
        let own = self.any(&call.receiver, receiver_hint)?;
        if name == "len" && call.args.is_empty() && own.ty.elements().is_some() {
            let text = match &own.ty {
                Ty::Shared(_, n) => format!("{n}ull"),
                _ => format!("{}.length", own.text),
            };
            return Ok(Value { text, ty: Ty::USIZE });
        }
        let Some((c, count, gives)) = calls::method(&name) else {
            return reject(&call.method, &format!("a kernel does not have the method `{name}`"));
        };
        if call.args.len() != count {
            return reject(call, &format!("`{name}` takes {count} arguments"));
        }
        let fits = match gives {
            Gives::Float | Gives::Truth => own.ty.is_float() || matches!(own.ty, Ty::Generic(_)),
            Gives::Number => own.ty.is_number(),
            Gives::Int | Gives::Count => own.ty.is_int(),
        };
        if !fits {
            return reject(call, &format!("{} does not have the method `{name}` in a kernel", own.ty.rust()));
        }
        let mut all = vec![own.text];
        for argument in &call.args {
            all.push(self.value(argument, Some(&own.ty))?.text);
        }
        // float16 and bfloat16 are computed as `float`.
        let half = matches!(own.ty, Ty::Float("f16" | "bf16"));
        if half {
            all.iter_mut().for_each(|a| *a = format!("(float)({a})"));
        }
        let text = format!("{c}({})", all.join(", "));
        Ok(match gives {
            Gives::Truth => Value { text: format!("(bool){text}"), ty: Ty::Bool },
            Gives::Count => Value { text, ty: Ty::U32 },
            _ => Value { text: format!("({}){text}", own.ty.c()), ty: own.ty },
        })
    }

    fn call(&mut self, call: &syn::ExprCall, wanted: Option<&Ty>) -> Result<Value> {
        let Expr::Path(path) = &*call.func else { return reject(&call.func, "a function has a name") };
        let name = path.path.segments.last().map(|s| s.ident.to_string()).unwrap_or_default();
        let (arguments, whole): (Vec<Expr>, _) = (call.args.iter().cloned().collect(), Expr::Call(call.clone()));
        if let Some((text, ty)) = calls::builtin(&name) {
            bare(&name, &arguments, &whole)?;
            return Ok(Value { text: text.into(), ty });
        }
        match (&arguments[..], name.as_str()) {
            ([value, lane], _) if calls::shuffle(&name).is_some() => {
                let (value, lane) = (self.any(value, wanted)?, self.value(lane, Some(&Ty::U32))?);
                let c = calls::shuffle(&name).unwrap_or_default();
                if !value.ty.is_number() || value.ty.is_small() {
                    return reject(&arguments[0], "numbers of 32 and 64 bits are shuffled");
                }
                Ok(Value { text: format!("{c}(~0u, {}, {})", value.text, lane.text), ty: value.ty })
            }
            ([truth], _) if calls::vote(&name).is_some() => {
                let truth = self.value(truth, Some(&Ty::Bool))?;
                let (c, ty) = calls::vote(&name).unwrap_or(("", Ty::Bool));
                Ok(Value { text: format!("{c}(~0u, {})", truth.text), ty })
            }
            ([at, value], _) if calls::atomic(&name).is_some() => {
                let c = calls::atomic(&name).unwrap_or_default();
                self.atomic(c, at, &[value])
            }
            ([at, old, new], "atomic_compare_exchange") => self.atomic("atomicCAS", at, &[old, new]),
            ([], "shared") => reject(call, "a shared array has a name: `let tile = shared::<[f32; 256]>();`"),
            _ => {
                let Some(result) = wanted.cloned() else {
                    return reject(call, "what this function gives is not known: write it, as in `let y: f32 = f(x);`");
                };
                let values = arguments.iter().map(|a| self.any(a, None)).collect::<Result<Vec<_>>>()?;
                let (texts, types) = values.into_iter().map(|v| (v.text, v.ty)).collect::<(Vec<_>, Vec<_>)>();
                let ty = result.clone();
                self.called.push(CalledFunction { path: path.path.clone(), arguments: types, result });
                let all = std::iter::once("rejecting_".to_string()).chain(texts).collect::<Vec<_>>();
                Ok(Value { text: format!("kernel_fn_{name}({})", all.join(", ")), ty })
            }
        }
    }

    fn atomic(&mut self, c: &str, at: &Expr, values: &[&Expr]) -> Result<Value> {
        let Expr::Reference(reference) = at else {
            return reject(at, "an atomic takes a reference to an element: `&mut x[i]`");
        };
        let Expr::Index(index) = strip(&reference.expr) else {
            return reject(at, "an atomic takes a reference to an element: `&mut x[i]`");
        };
        let (array, i) = self.element(&index.expr, &index.index)?;
        let Some((of, true)) = array.ty.elements().map(|(of, w)| (of.clone(), w)) else {
            return reject(&index.expr, "this array is read alone: `&mut [T]` is written");
        };
        if of.is_small() || of == Ty::Bool {
            return reject(&index.expr, "atomics are of numbers of 32 and 64 bits");
        }
        if of.is_float() && !["atomicAdd", "atomic_sub", "atomicExch"].contains(&c) {
            return reject(at, "floating-point numbers are added, subtracted and exchanged");
        }
        if matches!(c, "atomicInc" | "atomicDec") && of != Ty::U32 {
            return reject(at, "these atomics are of u32");
        }
        let texts = values.iter().map(|v| Ok(self.value(v, Some(&of))?.text)).collect::<Result<Vec<_>>>()?;
        let as_c = |text: &str| {
            if of.bits() == 64 && of.is_int() { format!("(unsigned long long)({text})") } else { text.into() }
        };
        let data = match of.bits() == 64 && of.is_int() && !matches!(c, "atomicMin" | "atomicMax") {
            true => format!("(unsigned long long *){}", self.data(&array)),
            false => self.data(&array),
        };
        let signed = matches!(c, "atomicMin" | "atomicMax");
        let texts: Vec<String> = texts.iter().map(|t| if signed { t.clone() } else { as_c(t) }).collect();
        let length = match &array.ty {
            Ty::Shared(_, n) => format!("{n}ull"),
            _ => format!("{}.length", array.text),
        };
        let inside = format!("inside({length}, {i}, rejecting_)");
        let done = format!("{c}({data} + ({i}), {})", texts.join(", "));
        let text = format!("({inside} ? ({of})({done}) : ({of})0)", of = of.c());
        Ok(Value { text, ty: of })
    }
}

/// Returns whether the type of an expression is not determined by itself.
pub(super) fn weak(e: &Expr) -> bool {
    match strip(e) {
        Expr::Lit(literal) => match &literal.lit {
            Lit::Int(number) => number.suffix().is_empty(),
            Lit::Float(number) => number.suffix().is_empty(),
            _ => false,
        },
        Expr::Unary(unary) => !matches!(unary.op, UnOp::Deref(_)) && weak(&unary.expr),
        Expr::Binary(both) => weak(&both.left) && weak(&both.right),
        Expr::MethodCall(call) => weak(&call.receiver),
        Expr::If(_) | Expr::Call(_) => {
            matches!(strip(e), Expr::If(_)) || matches!(strip(e), Expr::Call(c) if !known(c))
        }
        _ => false,
    }
}

/// Translates constants such as `f32::MAX`.
fn constant(ty: &Ty, name: &str) -> Option<String> {
    let c = ty.c();
    Some(match (ty, name) {
        (Ty::Int(_), "MAX") if ty.is_signed() => format!("({c}){}ull", (1u128 << (ty.bits() - 1)) - 1),
        (Ty::Int(_), "MIN") if ty.is_signed() => format!("({c})(-(i64){}ll - 1)", (1u128 << (ty.bits() - 1)) - 1),
        (Ty::Int(_), "MAX") => format!("({c}){}ull", (1u128 << ty.bits()) - 1),
        (Ty::Int(_), "MIN") => format!("({c})0"),
        (Ty::Float("f32"), "MAX") => "__uint_as_float(0x7f7fffffu)".into(),
        (Ty::Float("f32"), "MIN") => "__uint_as_float(0xff7fffffu)".into(),
        (Ty::Float("f64"), "MAX") => "__longlong_as_double(0x7fefffffffffffffll)".into(),
        (Ty::Float("f64"), "MIN") => "__longlong_as_double(0xffefffffffffffffll)".into(),
        (Ty::Float("f32"), "EPSILON") => "1.1920929e-7f".into(),
        (Ty::Float("f64"), "EPSILON") => "2.220446049250313e-16".into(),
        (Ty::Float("f64"), "INFINITY") => "__longlong_as_double(0x7ff0000000000000ll)".into(),
        (Ty::Float("f64"), "NEG_INFINITY") => "__longlong_as_double(0xfff0000000000000ll)".into(),
        (Ty::Float("f64"), "NAN") => "__longlong_as_double(0x7ff8000000000000ll)".into(),
        (Ty::Float(_), "INFINITY") => format!("({c})__uint_as_float(0x7f800000u)"),
        (Ty::Float(_), "NEG_INFINITY") => format!("({c})__uint_as_float(0xff800000u)"),
        (Ty::Float(_), "NAN") => format!("({c})__uint_as_float(0x7fc00000u)"),
        _ => return None,
    })
}

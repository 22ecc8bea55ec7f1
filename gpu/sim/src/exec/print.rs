//! `printf` and `assert`.

use super::block::Context;
use super::defined::depends_on;
use super::warp::{Lane, Warp, lanes_of};
use crate::FaultKind;
use crate::memory::Denied;
use crate::ptx::Variable;

/// Maximum length of a string that is read from device memory.
const MAX_TEXT: u64 = 4096;

/// Maximum width and precision of a conversion. A kernel chooses them, and no text may take memory without a bound.
const MAX_WIDTH: usize = 1000;

impl Warp {
    /// Reads a zero-terminated string from device memory.
    fn text(&mut self, cx: &mut Context<'_>, lane: usize, address: u64) -> Result<String, Denied> {
        let mut bytes = Vec::new();
        for i in 0..MAX_TEXT {
            match self.peek(cx, lane, address.wrapping_add(i), 1)? as u8 {
                0 => break,
                b => bytes.push(b),
            }
        }
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    pub(super) fn argument(
        &self,
        cx: &Context<'_>,
        frame: usize,
        lane: usize,
        arguments: &[Variable],
        i: usize,
    ) -> Result<u64, Denied> {
        match arguments.get(i) {
            Some(a) => {
                let bytes = a.bytes.clamp(1, 8) as u32;
                let (undefined, origin) = self.param_marks(frame, lane, a.offset, bytes);
                if undefined != 0 {
                    return Err(depends_on(cx, "an argument of a system call", &origin));
                }
                self.load_param(frame, lane, a.offset, bytes)
            }
            None => Err((FaultKind::BadOperand, "a system call with too few arguments".into())),
        }
    }

    pub(super) fn print(&mut self, cx: &mut Context<'_>, frame: usize, arguments: &[Variable], mask: u32) -> Lane<()> {
        for l in lanes_of(mask) {
            let text = self.formatted(cx, frame, arguments, l).map_err(|e| (l, e))?;
            if let Some(output) = cx.grid.output {
                output(&text);
            }
        }
        Ok(())
    }

    fn formatted(
        &mut self,
        cx: &mut Context<'_>,
        frame: usize,
        arguments: &[Variable],
        lane: usize,
    ) -> Result<String, Denied> {
        let format = self.argument(cx, frame, lane, arguments, 0)?;
        let mut at = self.argument(cx, frame, lane, arguments, 1)?;
        let format: Vec<char> = self.text(cx, lane, format)?.chars().collect();
        let mut out = String::new();
        let mut i = 0;
        while i < format.len() {
            if format[i] != '%' {
                out.push(format[i]);
                i += 1;
                continue;
            }
            let mut spec = Spec::default();
            i += 1;
            while let Some(c @ ('-' | '+' | ' ' | '#' | '0')) = format.get(i) {
                spec.flags.push(*c);
                i += 1;
            }
            let mut next = |warp: &mut Warp, cx: &mut Context<'_>, bytes: u32| {
                at = at.next_multiple_of(bytes.into());
                at += u64::from(bytes);
                warp.peek(cx, lane, at - u64::from(bytes), bytes)
            };
            if format.get(i) == Some(&'*') {
                let width = next(self, cx, 4)? as i32;
                // As in C: the sign is the flag that aligns to the left.
                if width < 0 {
                    spec.flags.push('-');
                }
                spec.width = (width.unsigned_abs() as usize).min(MAX_WIDTH);
                i += 1;
            }
            while let Some(d) = format.get(i).and_then(|c| c.to_digit(10)) {
                spec.width = (spec.width * 10 + d as usize).min(MAX_WIDTH);
                i += 1;
            }
            if format.get(i) == Some(&'.') {
                i += 1;
                let mut precision = 0;
                while let Some(d) = format.get(i).and_then(|c| c.to_digit(10)) {
                    precision = (precision * 10 + d as usize).min(MAX_WIDTH);
                    i += 1;
                }
                spec.precision = Some(precision);
            }
            let mut long = false;
            while let Some(c @ ('l' | 'h' | 'z' | 't' | 'j')) = format.get(i) {
                long |= *c != 'h';
                i += 1;
            }
            let bytes = if long { 8 } else { 4 };
            match format.get(i) {
                Some('d' | 'i') => {
                    let raw = next(self, cx, bytes)?;
                    let n = if long { raw as i64 } else { i64::from(raw as i32) };
                    spec.number(&mut out, n < 0, n.unsigned_abs().to_string());
                }
                Some('u') => {
                    let n = next(self, cx, bytes)?;
                    spec.number(&mut out, false, n.to_string());
                }
                Some('x') => {
                    let n = next(self, cx, bytes)?;
                    spec.number(&mut out, false, format!("{n:x}"));
                }
                Some('X') => {
                    let n = next(self, cx, bytes)?;
                    spec.number(&mut out, false, format!("{n:X}"));
                }
                Some('o') => {
                    let n = next(self, cx, bytes)?;
                    spec.number(&mut out, false, format!("{n:o}"));
                }
                Some('p') => {
                    let n = next(self, cx, 8)?;
                    spec.pad(&mut out, format!("{n:#x}"));
                }
                Some('c') => {
                    let n = next(self, cx, 4)?;
                    spec.pad(&mut out, (n as u8 as char).to_string());
                }
                Some('s') => {
                    let address = next(self, cx, 8)?;
                    let text = self.text(cx, lane, address)?;
                    let cut = spec.precision.unwrap_or(usize::MAX);
                    spec.pad(&mut out, text.chars().take(cut).collect());
                }
                Some(c @ ('f' | 'F' | 'e' | 'E' | 'g' | 'G' | 'a' | 'A')) => {
                    let x = f64::from_bits(next(self, cx, 8)?);
                    spec.number(&mut out, x.is_sign_negative() && !x.is_nan(), spec.float(x.abs(), *c));
                }
                Some('%') => out.push('%'),
                Some(c) => {
                    out.push('%');
                    out.push(*c);
                }
                None => out.push('%'),
            }
            i += 1;
        }
        Ok(out)
    }

    /// Returns the failure of `__assertfail(message, file, line, function, size)`.
    pub(super) fn assertion(
        &mut self,
        cx: &mut Context<'_>,
        frame: usize,
        arguments: &[Variable],
        lane: usize,
    ) -> (usize, Denied) {
        let mut words = [const { String::new() }; 3];
        for (word, i) in words.iter_mut().zip([0, 1, 3]) {
            let text = self.argument(cx, frame, lane, arguments, i).and_then(|a| self.text(cx, lane, a));
            *word = text.unwrap_or_else(|_| "?".into());
        }
        let line = self.argument(cx, frame, lane, arguments, 2).unwrap_or(0) as u32;
        let [message, file, function] = words;
        (lane, (FaultKind::Assert, format!("{file}:{line}: {function}: assertion `{message}` failed")))
    }
}

#[derive(Debug, Default)]
struct Spec {
    flags: Vec<char>,
    width: usize,
    precision: Option<usize>,
}

impl Spec {
    fn has(&self, flag: char) -> bool {
        self.flags.contains(&flag)
    }

    fn pad(&self, out: &mut String, text: String) {
        let fill = " ".repeat(self.width.saturating_sub(text.chars().count()));
        let (before, after) = if self.has('-') { ("", fill.as_str()) } else { (fill.as_str(), "") };
        out.push_str(&format!("{before}{text}{after}"));
    }

    fn number(&self, out: &mut String, negative: bool, digits: String) {
        let sign = match negative {
            true => "-",
            false if self.has('+') => "+",
            false if self.has(' ') => " ",
            false => "",
        };
        if self.has('0') && !self.has('-') {
            let zeros = "0".repeat(self.width.saturating_sub(sign.len() + digits.len()));
            out.push_str(&format!("{sign}{zeros}{digits}"));
        } else {
            self.pad(out, format!("{sign}{digits}"));
        }
    }

    fn float(&self, x: f64, conversion: char) -> String {
        if !x.is_finite() {
            return if x.is_nan() { "nan".into() } else { "inf".into() };
        }
        let precision = self.precision.unwrap_or(6);
        let text = match conversion.to_ascii_lowercase() {
            'f' => format!("{x:.precision$}"),
            'e' => scientific(x, precision),
            _ => {
                let significant = precision.max(1);
                let e = scientific(x, significant - 1);
                let exponent: i32 = e.rsplit_once('e').and_then(|(_, n)| n.parse().ok()).unwrap_or(0);
                if exponent < -4 || exponent >= significant as i32 {
                    let (mantissa, power) = e.split_once('e').unwrap_or((&e, "+00"));
                    format!("{}e{power}", trimmed(mantissa))
                } else {
                    let decimals = (significant as i32 - 1 - exponent).max(0) as usize;
                    trimmed(&format!("{x:.decimals$}")).to_string()
                }
            }
        };
        if conversion.is_ascii_uppercase() { text.to_ascii_uppercase() } else { text }
    }
}

fn trimmed(digits: &str) -> &str {
    if digits.contains('.') { digits.trim_end_matches('0').trim_end_matches('.') } else { digits }
}

/// Formats as C's `%e`: at least two digits of exponent, with a sign.
fn scientific(x: f64, precision: usize) -> String {
    let text = format!("{x:.precision$e}");
    match text.split_once('e') {
        Some((mantissa, exponent)) => {
            let (sign, digits) = match exponent.strip_prefix('-') {
                Some(digits) => ('-', digits),
                None => ('+', exponent),
            };
            format!("{mantissa}e{sign}{digits:0>2}")
        }
        None => text,
    }
}

//! Calls of device functions and returns from them.

use super::block::Context;
use super::run::{Flow, row};
use super::warp::{Group, Lane, Wait, Warp, first, lanes_of};
use super::{Call, Callee, Code, FUNCTION_WINDOW, Function};
use crate::FaultKind;
use crate::ops::Lanes;
use crate::ptx::Variable;

impl Warp {
    #[inline(never)]
    pub(super) fn call(
        &mut self,
        cx: &mut Context<'_>,
        function: &Function,
        registers: &[Lanes],
        group: &mut Group,
        call: &Call,
        mask: u32,
    ) -> Lane<Flow> {
        let rest = group.mask & !mask;
        match &call.callee {
            Callee::Printf => {
                self.print(cx, group.frame, &call.arguments, mask)?;
                if let Some(result) = call.results.first() {
                    for l in lanes_of(mask) {
                        self.store_param(group.frame, l, result.offset, 4, 0).map_err(|e| (l, e))?;
                    }
                }
                return Ok(Flow::Next);
            }
            Callee::Assert => return Err(self.assertion(cx, group.frame, &call.arguments, first(mask))),
            Callee::Malloc => {
                self.heap_alloc(cx, group.frame, call, mask)?;
                return Ok(Flow::Next);
            }
            Callee::Free => {
                for l in lanes_of(mask) {
                    let addr = self.argument(cx, group.frame, l, &call.arguments, 0).map_err(|e| (l, e))?;
                    cx.grid.memory.heap_free(addr).map_err(|e| (l, e))?;
                }
                return Ok(Flow::Next);
            }
            Callee::Function(index) => self.descend(cx, group, call, *index, mask)?,
            Callee::Indirect(pointer) => {
                let pointer = *row(registers, function, *pointer);
                let mut left = mask;
                while left != 0 {
                    let l = first(left);
                    let index = pointer[l].wrapping_sub(FUNCTION_WINDOW) as usize;
                    if pointer[l] < FUNCTION_WINDOW || index >= cx.grid.program.functions.len() {
                        let message = format!("a call to {:#x}, which is no function", pointer[l]);
                        return Err((l, (FaultKind::BadOperand, message)));
                    }
                    let same = lanes_of(left).filter(|&k| pointer[k] == pointer[l]).fold(0, |m, k| m | 1 << k);
                    self.descend(cx, group, call, index, same)?;
                    left &= !same;
                }
            }
        }
        if rest != 0 {
            self.groups.push(Group { mask: rest, pc: group.pc + 1, ..*group });
        }
        Ok(Flow::Gone)
    }

    fn heap_alloc(&mut self, cx: &Context<'_>, frame: usize, call: &Call, mask: u32) -> Lane<()> {
        for l in lanes_of(mask) {
            let bytes = self.argument(cx, frame, l, &call.arguments, 0).map_err(|e| (l, e))?;
            let addr = cx.grid.memory.heap_alloc(bytes).map_err(|e| (l, e))?;
            if let Some(result) = call.results.first() {
                self.store_param(frame, l, result.offset, 8, addr).map_err(|e| (l, e))?;
            }
        }
        Ok(())
    }

    fn descend(&mut self, cx: &Context<'_>, group: &Group, call: &Call, index: usize, mask: u32) -> Lane<()> {
        let functions = &cx.grid.program.functions;
        let callee = &functions[index];
        if callee.params.len() != call.arguments.len() || callee.returns.len() != call.results.len() || callee.entry {
            let message = format!("a call of {} with parameters of another form", callee.name);
            return Err((first(mask), (FaultKind::BadOperand, message)));
        }
        let Some(frame) = self.enter(functions, index, Some(group.frame), mask) else {
            return Err((first(mask), (FaultKind::OutOfMemory, "calls nest too deep: the stack is full".into())));
        };
        self.frames[frame].return_to = group.pc + 1;
        self.frames[frame].call = group.pc;
        for (to, from) in callee.params.iter().zip(&call.arguments) {
            self.copy(group.frame, from, frame, to, mask)?;
        }
        self.groups.push(Group { frame, pc: 0, mask, wait: Wait::No, jump: (0, 0) });
        Ok(())
    }

    /// Copies a variable between the param spaces of two frames.
    fn copy(&mut self, from: usize, source: &Variable, to: usize, target: &Variable, mask: u32) -> Lane<()> {
        let bytes = source.bytes.min(target.bytes);
        let mut at = 0;
        while at < bytes {
            let unit = [8, 4, 2, 1]
                .into_iter()
                .find(|n| {
                    at + n <= bytes
                        && (source.offset + at).is_multiple_of(*n)
                        && (target.offset + at).is_multiple_of(*n)
                })
                .unwrap_or(1);
            for l in lanes_of(mask) {
                let value = self.load_param(from, l, source.offset + at, unit as u32).map_err(|e| (l, e))?;
                self.store_param(to, l, target.offset + at, unit as u32, value).map_err(|e| (l, e))?;
                if self.undefined != 0 {
                    let marks = self.param_marks(from, l, source.offset + at, unit as u32);
                    self.set_param_marks(to, l, target.offset + at, unit as u32, marks);
                }
            }
            at += unit;
        }
        Ok(())
    }

    /// Returns lanes to their caller, with the results.
    pub(super) fn give_back(&mut self, cx: &Context<'_>, group: &Group, mask: u32) {
        let frame = &self.frames[group.frame];
        let Some(caller) = frame.parent else { return };
        let (pc, call) = (frame.return_to, frame.call);
        let functions = &cx.grid.program.functions;
        let callee = &functions[frame.function];
        if let Code::Call(call) = &functions[self.frames[caller].function].code[call as usize].code {
            for (from, to) in callee.returns.iter().zip(&call.results) {
                // Both are inside their frames: the decoder placed them.
                let _ = self.copy(group.frame, from, caller, to, mask);
            }
        }
        self.leave(group.frame, mask);
        self.groups.push(Group { frame: caller, pc, mask, wait: Wait::No, jump: (0, 0) });
    }
}

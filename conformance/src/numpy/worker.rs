//! A process that runs NumPy, and its protocol.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use cuprum_kernels::DType;
use serde_json::{Value as Json, json};

use crate::call::{Argument, Call, logical};
use crate::case::{Case, Operand, Scalar, Setting};
use crate::matrix::{Op, OpKind};
use crate::operand::Input;
use crate::outcome::{Kind, Outcome, Tensor};
use crate::sparse::{Part, operands};

/// NumPy's answer to a case.
#[derive(Clone, Debug, PartialEq)]
pub enum Answer {
    /// The outcome, and whether it is a scalar in place of an array.
    Outcome(Outcome, bool),
    /// NumPy has no such function.
    Absent(String),
    /// The process is gone: how it ended.
    Crashed(String),
}

/// A Python process with NumPy.
#[derive(Debug)]
pub struct Worker {
    process: Child,
    requests: ChildStdin,
    replies: BufReader<ChildStdout>,
    /// Its version.
    pub version: String,
    /// The instruction sets that it uses.
    pub features: Vec<String>,
    /// True if SciPy is available.
    pub has_scipy: bool,
    /// True if SciPy has the sparse arrays that the oracle follows.
    pub has_sparse: bool,
    /// True if ml_dtypes is available, which provides bfloat16.
    pub has_bfloat16: bool,
}

impl Drop for Worker {
    fn drop(&mut self) {
        // It is idle between cases: nothing is lost, and no error can be reported.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

impl Worker {
    /// Starts the interpreter with the script.
    ///
    /// # Errors
    /// A message, if it does not start or does not report its NumPy version.
    pub fn start(python: &Path, script: &Path) -> Result<Worker, String> {
        let mut process = Command::new(python)
            .arg(script)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|e| format!("{}: {e}", python.display()))?;
        let (Some(requests), Some(replies)) = (process.stdin.take(), process.stdout.take()) else {
            return Err(format!("{}: it has no pipes", python.display()));
        };
        let replies = BufReader::new(replies);
        let mut worker = Worker {
            process,
            requests,
            replies,
            version: String::new(),
            features: vec![],
            has_scipy: false,
            has_sparse: false,
            has_bfloat16: false,
        };
        let hello = worker.line().and_then(|line| parsed(&line)).map_err(|e| format!("{}: {e}", python.display()))?;
        worker.version = text(&hello["numpy"])?;
        worker.has_scipy = hello["scipy"] == true;
        worker.has_sparse = hello["sparse"] == true;
        worker.has_bfloat16 = hello["bfloat16"] == true;
        worker.features = hello["features"].as_array().into_iter().flatten().filter_map(|f| text(f).ok()).collect();
        Ok(worker)
    }

    /// Runs a case with NumPy.
    ///
    /// # Errors
    /// A message, if the process is gone or its answer is invalid.
    pub fn ask(&mut self, op: &Op, case: &Case, inputs: &[Input]) -> Result<Answer, String> {
        let (request, payload) = request(op, case, inputs);
        let mut message = request.to_string().into_bytes();
        message.push(b'\n');
        message.extend(payload);
        if self.requests.write_all(&message).and_then(|()| self.requests.flush()).is_err() {
            return self.ended();
        }
        let line = self.line()?;
        if line.is_empty() {
            return self.ended();
        }
        let reply = parsed(&line)?;
        if let Ok(name) = text(&reply["absent"]) {
            return Ok(Answer::Absent(name));
        }
        Ok(Answer::Outcome(self.outcome(&reply)?, reply["scalar"] == true))
    }

    /// Returns NumPy's results of equivalent calls, where the oracle leaves the result
    /// undefined.
    ///
    /// # Errors
    /// A message, if the process is gone or its answer is invalid.
    pub fn evidence(&mut self) -> Result<BTreeMap<String, Vec<String>>, String> {
        self.requests
            .write_all(b"{\"evidence\": true}\n")
            .and_then(|()| self.requests.flush())
            .map_err(|e| e.to_string())?;
        serde_json::from_str(&self.line()?).map_err(|e| e.to_string())
    }

    /// Evaluates an expression, and returns the text of its value or the class of its exception.
    ///
    /// # Errors
    /// A message, if the process is gone.
    pub fn value(&mut self, expression: &str) -> Result<String, String> {
        let request = json!({ "ask": expression }).to_string() + "\n";
        self.requests.write_all(request.as_bytes()).and_then(|()| self.requests.flush()).map_err(|e| e.to_string())?;
        text(&parsed(&self.line()?)?)
    }

    /// Waits for the process and describes its end; a script that rejected the request is a different error.
    fn ended(&mut self) -> Result<Answer, String> {
        let status = self.process.wait().map_err(|e| e.to_string())?;
        if status.code().is_some() {
            Err(format!("the script ended: {status}"))
        } else {
            Ok(Answer::Crashed(status.to_string()))
        }
    }

    /// Returns the next line, empty at the end.
    fn line(&mut self) -> Result<String, String> {
        let mut line = String::new();
        self.replies.read_line(&mut line).map_err(|e| e.to_string())?;
        Ok(line)
    }

    fn outcome(&mut self, reply: &Json) -> Result<Outcome, String> {
        if let Ok(text) = text(&reply["text"]) {
            return Ok(Outcome::Text(text));
        }
        if let Some(error) = reply["error"].as_array() {
            let (class, message) = (text(&error[0])?, text(&error[1])?);
            let kind = serde_json::from_value(Json::String(snake(&class))).unwrap_or(Kind::Broken);
            return Ok(Outcome::Rejected(kind, format!("{class}: {message}")));
        }
        let arrays = reply["arrays"].as_array().ok_or_else(|| format!("no answer but {reply}"))?;
        let mut tensors = arrays.iter().map(|described| self.tensor(described)).collect::<Result<Vec<_>, _>>()?;
        Ok(if tensors.len() == 1 { Outcome::Array(tensors.remove(0)) } else { Outcome::Several(tensors) })
    }

    fn tensor(&mut self, described: &Json) -> Result<Tensor, String> {
        let bad = || format!("{described} describes no array");
        let list = |v: &Json| -> Option<Vec<i64>> { v.as_array()?.iter().map(Json::as_i64).collect() };
        let shape = list(&described[1]).ok_or_else(bad)?.into_iter().map(|n| n as usize).collect();
        let strides = list(&described[2]).ok_or_else(bad)?;
        let mut bytes = vec![0; described[3].as_u64().ok_or_else(bad)? as usize];
        self.replies.read_exact(&mut bytes).map_err(|e| e.to_string())?;
        let dtype = text(&described[0])?.parse().map_err(|e| format!("NumPy's result: {e}"))?;
        Ok(Tensor { dtype, shape, strides, bytes, freedom: vec![] })
    }
}

fn parsed(line: &str) -> Result<Json, String> {
    serde_json::from_str(line).map_err(|e| format!("no answer but {line:?}: {e}"))
}

fn text(json: &Json) -> Result<String, String> {
    json.as_str().map(str::to_string).ok_or_else(|| format!("{json} is no text"))
}

/// Converts `ZeroDivisionError` to the form of error kinds: `zero_division`.
fn snake(class: &str) -> String {
    match class.strip_suffix("Error").unwrap_or(class) {
        "LinAlg" => "lin_alg".into(),
        "ZeroDivision" => "zero_division".into(),
        other => other.to_lowercase(),
    }
}

/// Returns the request's first line, and the buffers that follow.
fn request(op: &Op, case: &Case, inputs: &[Input]) -> (Json, Vec<u8>) {
    let mut payload = vec![];
    let texts: Vec<&str> = case
        .operands
        .iter()
        .map(|operand| match operand {
            Operand::Scalar(text) => text.as_str(),
            Operand::Array { .. } => "",
        })
        .collect();
    let shifted = case.params.get("out") == Some("shifted");
    let described: Vec<Json> = inputs
        .iter()
        .enumerate()
        .map(|(k, input)| match input {
            Input::Scalar(_) => json!({ "scalar": texts[k] }),
            Input::Array(placed) => {
                payload.extend(&placed.base.bytes);
                json!({
                    "dtype": placed.base.dtype.name(),
                    "base": placed.base.shape,
                    "shape": placed.logical.shape,
                    "strides": placed.logical.strides,
                    "offset": placed.offset,
                    "bytes": placed.base.bytes.len(),
                    "shared": shifted && k == op.operands,
                })
            }
        })
        .collect();
    let params: serde_json::Map<String, Json> = case
        .params
        .names()
        .filter(|name| !Setting::NAMES.contains(name))
        .map(|name| (name.to_string(), Json::String(case.params.get(name).unwrap_or_default().into())))
        .collect();
    let layouts: Vec<String> = case
        .operands
        .iter()
        .map(|operand| match operand {
            Operand::Array { layout, .. } => layout.to_string(),
            Operand::Scalar(_) => String::new(),
        })
        .collect();
    let call = match op.kind {
        OpKind::Creation => Call::creation(op, case),
        OpKind::Routine | OpKind::Manipulation => Call::of(op, case, &logical(inputs)),
        _ => Err("it has a form of its own".to_string()),
    };
    let sparse: Vec<Json> = match op.kind {
        OpKind::Sparse => operands(op, &case.params, &logical(inputs)).unwrap_or_default().iter().map(sparse).collect(),
        _ => vec![],
    };
    let request = json!({
        "op": op.name,
        "kind": format!("{:?}", op.kind).to_lowercase(),
        "family": op.family,
        "operands": op.operands,
        "params": params,
        "layouts": layouts,
        "out": case.params.get("out"),
        "inputs": described,
        "call": call.ok().map(|call| called(&call)),
        "sparse": sparse,
    });
    (request, payload)
}

/// Serialises the arrays of a sparse operand; nothing for a dense one.
fn sparse(part: &Part) -> Json {
    match part {
        Part::Dense => Json::Null,
        Part::Sparse(parts) => json!({
            "format": parts.format,
            "shape": parts.shape,
            "data": array(&parts.data),
            "indices": parts.indices.iter().map(array).collect::<Vec<_>>(),
        }),
    }
}

/// Serialises an array: its dtype, its shape and the digits of its bytes.
fn array(Tensor { dtype, shape, bytes, .. }: &Tensor) -> Json {
    let digits: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    json!([dtype.name(), shape, digits])
}

/// Serialises a call, which the script executes by name.
fn called(call: &Call) -> Json {
    let arguments: Vec<Json> = call.arguments.iter().map(|(name, of)| json!([name, argument(of)])).collect();
    json!({ "path": call.path, "arguments": arguments, "into": call.into.map(DType::name) })
}

fn argument(of: &Argument) -> Json {
    match of {
        Argument::None => json!({ "none": true }),
        Argument::Scalar(scalar) => json!({ "scalar": written(*scalar) }),
        Argument::DType(dtype) => json!({ "dtype": dtype.name() }),
        Argument::Text(text) => json!({ "text": text }),
        Argument::Integers(all) => json!({ "integers": all }),
        Argument::Operand(index) => json!({ "operand": index }),
        // The memory layout on the device does not matter here.
        Argument::Made(made) | Argument::Backwards(made) => json!({ "array": array(made) }),
        Argument::Full(scalar, dtype) => json!({ "full": [written(*scalar), dtype.name()] }),
        Argument::List(all) => json!({ "list": all.iter().map(argument).collect::<Vec<_>>() }),
    }
}

/// Formats a number as Python does.
fn written(scalar: Scalar) -> String {
    match scalar {
        Scalar::Bool(true) => "True".into(),
        Scalar::Bool(false) => "False".into(),
        Scalar::Int(i) => i.to_string(),
        Scalar::Float(x) => format!("{x:?}"),
        Scalar::Imaginary(x) => format!("{x:?}j"),
    }
}

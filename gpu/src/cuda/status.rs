//! CUDA's status codes of failures that the library detects before the driver does.

/// The stream or the event is in a state in which the call is invalid.
pub(super) const ILLEGAL_STATE: i32 = 401;
/// A captured stream does not support the operation.
pub(super) const CAPTURE_UNSUPPORTED: i32 = 900;
/// An earlier call has invalidated the capture.
pub(super) const CAPTURE_INVALIDATED: i32 = 901;
/// A wait would merge two captures.
pub(super) const CAPTURE_MERGE: i32 = 902;
/// The capture did not begin on the stream.
pub(super) const CAPTURE_UNMATCHED: i32 = 903;
/// A captured stream waits for work that is not captured.
pub(super) const CAPTURE_ISOLATION: i32 = 905;
/// The default stream waits for a stream that is captured.
pub(super) const CAPTURE_IMPLICIT: i32 = 906;
/// The last record of an event was captured.
pub(super) const CAPTURED_EVENT: i32 = 907;

internal import NIOCore

/// How one call differs from the others of its method.
struct CallOptions {
    /// Where the method's own timeout is longer.
    var timeMax: TimeAmount?
    var cancellation = CallCancellation.ends
    /// Does not wait for the next attempt to connect, and fails with it.
    var isUrgent = false
}

/// What becomes of a call when the task that waits for it is cancelled.
package enum CallCancellation: Sendable {
    case ends
    /// What was sent may be applied, so its answer is waited for; it is not repeated.
    case endsUnlessSent
}

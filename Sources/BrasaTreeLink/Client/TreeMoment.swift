/// When a step is made.
package struct TreeMoment: Hashable, Sendable {
    /// Of a clock that only goes forward.
    package let uptime: Duration
    /// Since 1970, by the client's clock.
    package let milliseconds: Int64

    package init(uptime: Duration, milliseconds: Int64) {
        (self.uptime, self.milliseconds) = (uptime, milliseconds)
    }
}

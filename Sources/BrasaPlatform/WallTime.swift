/// What a calendar shows: a point in time that is written to disk and told to clients.
package struct WallTime: Hashable, Comparable, Sendable {
    /// Since the Unix epoch.
    package var microseconds: Int64

    package init(microseconds: Int64) {
        self.microseconds = microseconds
    }

    package static func < (left: WallTime, right: WallTime) -> Bool { left.microseconds < right.microseconds }
}

/// Events that a listener has not been told yet, oldest first. Past `countMax` the newest two become one, where they can: a
/// slow listener loses steps in between, and takes no more memory. Those that cannot are all kept.
///
/// Inlinable, and so usable from inline itself: the libraries have it for the types of their events as if it were their own.
@usableFromInline
package struct PendingEvents<Event> {
    @usableFromInline let countMax: Int
    @usableFromInline var events: [Event] = []

    @inlinable
    package init(countMax: Int) {
        self.countMax = countMax
    }

    @inlinable package var isEmpty: Bool { self.events.isEmpty }
    @inlinable package var count: Int { self.events.count }
    @inlinable package var first: Event? { self.events.first }

    /// - Parameter merging: the newest event that waits and this one as one; nil where they cannot be.
    /// - Returns: Whether there is one event more than before.
    @inlinable
    package mutating func append(_ event: Event, merging: (_ last: Event, _ new: Event) -> Event?) -> Bool {
        if self.events.count >= self.countMax, let last = self.events.last, let merged = merging(last, event) {
            self.events[self.events.count - 1] = merged
            return false
        }
        self.events.append(event)
        return true
    }

    @inlinable
    package mutating func next() -> Event? {
        self.events.isEmpty ? nil : self.events.removeFirst()
    }

    @inlinable
    package mutating func removeAll() { self.events.removeAll() }
}

extension PendingEvents: Sendable where Event: Sendable {}

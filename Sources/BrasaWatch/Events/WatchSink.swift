/// Where a stream's events go. Called on the watcher's thread only, and never from within a call into the watcher by
/// the sink's owner except `add`, `remove` and `close` of its own stream, which answer at once.
package protocol WatchSink: AnyObject {
    /// Whether the peer keeps up. While it does not, the stream is told nothing but answers to `add` and `remove`; its
    /// owner calls `becameWritable` when that is over. A sink takes what it is sent even when it is not writable.
    var isWritable: Bool { get }

    func send(_ event: WatchEvent)

    /// An event and the snapshot that follows it.
    func send(_ update: WatchUpdate)

    /// No more events come for now: what was sent may leave.
    func flush()
}

extension WatchSink {
    package func send(_ update: WatchUpdate) {
        self.send(update.event)
        self.send(.snapshot(update.snapshot))
    }
}

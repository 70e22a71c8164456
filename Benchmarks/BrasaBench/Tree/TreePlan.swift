/// The server and the values of a measurement of the Realtime Database.
package struct TreePlan: Sendable {
    package var host: String
    package var port: Int
    /// What connections show when they are opened; nil: nothing.
    package var token: String?
    package var connections: Int
    /// Of the string that a write puts.
    package var valueBytes: Int
    package var warmUp: Duration
    package var duration: Duration

    /// A server cuts longer messages into frames, which nobody puts together here.
    package static let valueBytesMax = 15_000
    /// The tree.
    static let namespace = "bench"

    package init(
        host: String,
        port: Int,
        token: String?,
        connections: Int,
        valueBytes: Int,
        warmUp: Duration,
        duration: Duration
    ) {
        self.host = host
        self.port = port
        self.token = token
        self.connections = connections
        self.valueBytes = valueBytes
        self.warmUp = warmUp
        self.duration = duration
    }
}

/// Durable writes, each of one leaf.
package struct TreeWritePlan: Sendable {
    package var base: TreePlan
    /// On each connection: the next is sent when one is answered.
    package var inFlight: Int
    /// Leaves that writes choose from.
    package var places: Int

    package init(_ base: TreePlan, inFlight: Int, places: Int) {
        self.base = base
        self.inFlight = inFlight
        self.places = places
    }
}

/// Listeners to one node, which one writer changes. The connections of the plan are theirs; the writer has one more.
package struct TreeListenPlan: Sendable {
    package var base: TreePlan
    package var listeners: Int
    package var pace: ListenPlan.Pace
    /// The server's process on this machine, whose memory is looked at.
    package var process: Int?

    package init(_ base: TreePlan, listeners: Int, pace: ListenPlan.Pace, process: Int?) {
        self.base = base
        self.listeners = listeners
        self.pace = pace
        self.process = process
    }

    /// As even as it can be.
    func listeners(onConnection index: Int) -> Int {
        self.listeners / self.base.connections + (index < self.listeners % self.base.connections ? 1 : 0)
    }
}

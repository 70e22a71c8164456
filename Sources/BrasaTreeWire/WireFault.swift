/// Why a connection cannot go on: what came cannot be answered, since nothing says which request it was.
package enum WireFault: Error, Hashable, Sendable {
    /// A frame that should say how many follow says none or too many.
    case invalidFrameCount
    case messageTooLong(bytesMax: Int)
    /// No JSON, or not an envelope.
    case malformedMessage
    /// More requests than there may be without an answer.
    case tooManyRequests(requestsMax: Int)
    /// Segments of long polling came too far in front of one that did not.
    case tooManySegments(segmentsMax: Int)
    /// Nothing came for too long.
    case silent
}

/// Bounds of one connection.
package struct WireLimits: Hashable, Sendable {
    /// A message, all its frames together.
    package var messageBytesMax: Int
    /// Values of a message beside the data that it writes.
    package var messageValuesMax: Int
    /// Objects and arrays inside one another in the data that a message writes; fewer are refused in an answer.
    package var messageLevelsMax: Int
    /// Requests that wait for their answer.
    package var requestsMax: Int
    /// Listens that are open.
    package var listensMax: Int
    /// For how long a client may be silent. Clients send something every 45 seconds.
    package var silenceMillisecondsMax: Int64

    package init(
        messageBytesMax: Int = 16 * 1024 * 1024,
        messageValuesMax: Int = 16_384,
        messageLevelsMax: Int = 4_096,
        requestsMax: Int = 10_000,
        listensMax: Int = 100_000,
        silenceMillisecondsMax: Int64 = 150_000
    ) {
        self.messageBytesMax = messageBytesMax
        self.messageValuesMax = messageValuesMax
        self.messageLevelsMax = messageLevelsMax
        self.requestsMax = requestsMax
        self.listensMax = listensMax
        self.silenceMillisecondsMax = silenceMillisecondsMax
    }
}

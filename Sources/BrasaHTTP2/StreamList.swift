/// The streams of a connection, oldest first, linked through themselves: adding and removing allocate nothing.
/// The list owns its members.
struct StreamList {
    private(set) var first: HTTP2Stream?
    private unowned(unsafe) var last: HTTP2Stream?
    private(set) var count = 0

    mutating func append(_ stream: HTTP2Stream) {
        if let last = self.last {
            last.next = stream
            stream.previous = last
        } else {
            self.first = stream
        }
        self.last = stream
        self.count += 1
    }

    /// Removes a member, which the caller must hold.
    mutating func remove(_ stream: HTTP2Stream) {
        let next = stream.next
        if let previous = stream.previous {
            previous.next = next
        } else {
            self.first = next
        }
        if let next {
            next.previous = stream.previous
        } else {
            self.last = stream.previous
        }
        stream.next = nil
        stream.previous = nil
        self.count -= 1
    }

    /// A copy to walk over while members come and go.
    var snapshot: [HTTP2Stream] {
        var streams: [HTTP2Stream] = []
        streams.reserveCapacity(self.count)
        var stream = self.first
        while let member = stream {
            streams.append(member)
            stream = member.next
        }
        return streams
    }
}

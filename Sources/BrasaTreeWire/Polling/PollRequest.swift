/// What a request of long polling asks: `/.lp?…`.
package enum PollRequest: Hashable, Sendable {
    /// A new session.
    case start(Callback)
    /// What the session has to say, and to be told what the client says; nil: no segments of a message.
    case poll(Key, [SegmentJoiner.Segment]?)
    /// The end of a session.
    case leave(Key)
    /// The page that asks for that when it goes.
    case leavingPage

    /// What the client's functions are called by.
    package struct Callback: Hashable, Sendable {
        let digits: String

        /// Nil: something else than digits, which would become a part of a script.
        package init?(_ text: String) {
            guard (1...16).contains(text.utf8.count), text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
                return nil
            }
            self.digits = text
        }
    }

    /// What shows that a request is of a session.
    package struct Key: Hashable, Sendable {
        package let id: String
        package let password: String

        package init(id: String, password: String) {
            self.id = id
            self.password = password
        }

        /// Takes as long for one that is nearly right as for any other of its length.
        package func hasPassword(_ password: String) -> Bool {
            guard self.password.utf8.count == password.utf8.count else { return false }
            return zip(self.password.utf8, password.utf8).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
        }
    }

    /// Of those that one request may have.
    static let segmentsMax = 64

    /// Nil: none of these. Of two parameters of one name the last one counts.
    package init?(_ parameters: [(name: String, value: String)]) {
        var values: [String: String] = [:]
        for parameter in parameters { values[parameter.name] = parameter.value }
        if values["start"] != nil {
            guard let callback = values["cb"].flatMap({ Callback($0) }) else { return nil }
            self = .start(callback)
            return
        }
        if values["dframe"] != nil, values["disconn"] == nil {
            self = .leavingPage
            return
        }
        guard let id = values["id"], let password = values["pw"] else { return nil }
        let key = Key(id: id, password: password)
        self = values["disconn"] == nil ? .poll(key, Self.segments(values)) : .leave(key)
    }

    private static func segments(_ values: [String: String]) -> [SegmentJoiner.Segment]? {
        var segments: [SegmentJoiner.Segment] = []
        while let text = values["seg\(segments.count)"] {
            guard segments.count < self.segmentsMax, let number = self.number(text),
                let segmentCount = values["ts\(segments.count)"].flatMap({ self.number($0) }),
                let data = values["d\(segments.count)"]
            else { return nil }
            segments.append(.init(number: number, segmentCount: segmentCount, text: Array(data.utf8)))
        }
        return segments
    }

    private static func number(_ text: String) -> Int? {
        guard (1...15).contains(text.utf8.count), text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            return nil
        }
        return Int(text)
    }
}

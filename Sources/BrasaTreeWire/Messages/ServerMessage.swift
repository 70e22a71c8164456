package import BrasaTree

/// What the server tells a client.
package enum ServerMessage: Sendable {
    case hello(milliseconds: Int64, host: String, session: String)
    /// Go to another host.
    case reset(host: String)
    /// Never come back.
    case shutdown(reason: String)
    case pong
    case response(number: Int64, TreeStatus, ResponseData)
    case push(TreePush)
}

package enum ResponseData: Sendable {
    case empty
    case text(String)
    case value(JSONValue)
    /// What a `get` found.
    case node(TreeNode)
}

/// What a listener is told. Paths are at or below the listened one.
package enum TreePush: Sendable {
    /// A node, or a priority as the leaf that it would be.
    case data(TreeLocation, TreeNode, tag: Int64?)
    /// Of the node at a path, what is replaced at places beneath it.
    case merge(TreePath, [(location: TreeLocation, node: TreeNode)], tag: Int64?)
    case rangeMerges(TreePath, [RangeMerge], tag: Int64?)
    case revoked(TreeTarget)
    case authRevoked(TreeStatus, reason: String)
}

extension ServerMessage {
    package var text: [UInt8] {
        var text = JSONText()
        text.object { text in
            switch self {
            case .hello(let milliseconds, let host, let session):
                text.control("h") { text in
                    text.object { text in
                        text.member("ts", .scalar(.integer(milliseconds)))
                        text.member("v", "5")
                        text.member("h", .string(TreeText(host)))
                        text.member("s", .string(TreeText(session)))
                    }
                }
            case .reset(let host): text.control("r") { $0.write(.string(TreeText(host))) }
            case .shutdown(let reason): text.control("s") { $0.write(.string(TreeText(reason))) }
            // Clients look for the member `d` in every control message.
            case .pong: text.control("o") { $0.write(.null) }
            case .response(let number, let status, let data):
                text.member("t", "d")
                text.member("d") { text in
                    text.object { text in
                        text.member("r", .scalar(.integer(number)))
                        text.member("b") { text in
                            text.object { text in
                                text.member("s", .string(TreeText(status.rawValue)))
                                text.member("d") { data.write(into: &$0) }
                            }
                        }
                    }
                }
            case .push(let push):
                text.member("t", "d")
                text.member("d") { text in
                    text.object { text in
                        text.member("a", .string(push.name))
                        text.member("b") { text in text.object { push.write(into: &$0) } }
                    }
                }
            }
        }
        return text.bytes
    }
}

extension ResponseData {
    fileprivate func write(into text: inout JSONText) {
        switch self {
        case .empty: text.write("")
        case .text(let message): text.write(.string(TreeText(message)))
        case .value(let value): text.write(value)
        case .node(let node): text.write(node)
        }
    }
}

extension TreePush {
    fileprivate var name: TreeText {
        switch self {
        case .data: "d"
        case .merge: "m"
        case .rangeMerges: "rm"
        case .revoked: "c"
        case .authRevoked: "ac"
        }
    }

    /// Paths are without a slash in front; the root is empty.
    private static func text(_ location: TreeLocation) -> JSONValue {
        .string(TreeText(location.description.dropFirst()))
    }

    fileprivate func write(into text: inout JSONText) {
        var pushTag: Int64?
        switch self {
        case .data(let location, let node, let tag):
            text.member("p", Self.text(location))
            text.member("d") { $0.write(node) }
            pushTag = tag
        case .merge(let path, let parts, let tag):
            text.member("p", Self.text(TreeLocation(path)))
            text.member("d") { text in
                text.object { text in
                    for part in parts {
                        text.member(TreeText(part.location.description.dropFirst())) { $0.write(part.node) }
                    }
                }
            }
            pushTag = tag
        case .rangeMerges(let path, let merges, let tag):
            text.member("p", Self.text(TreeLocation(path)))
            text.member("d", .array(merges.map(\.wire)))
            pushTag = tag
        case .revoked(let target):
            text.member("p", Self.text(TreeLocation(target.path)))
            if let query = target.query { text.member("q", .array([query.wire])) }
        case .authRevoked(let status, let reason):
            text.member("s", .string(TreeText(status.rawValue)))
            text.member("d", .string(TreeText(reason)))
        }
        if let pushTag { text.member("t", .scalar(.integer(pushTag))) }
    }
}

extension JSONText {
    fileprivate mutating func object(_ members: (inout JSONText) -> Void) {
        self.beginObject()
        members(&self)
        self.endObject()
    }

    fileprivate mutating func member(_ key: TreeText, _ value: (inout JSONText) -> Void) {
        key.utf8.withUnsafeBufferPointer { self.key($0) }
        value(&self)
    }

    fileprivate mutating func member(_ key: TreeText, _ value: JSONValue) {
        self.member(key) { $0.write(value) }
    }

    fileprivate mutating func control(_ type: TreeText, _ content: (inout JSONText) -> Void) {
        self.member("t", "c")
        self.member("d") { text in
            text.object { text in
                text.member("t", .string(type))
                text.member("d", content)
            }
        }
    }

    fileprivate mutating func write(_ value: JSONValue) { value.emit(into: &self) }

    fileprivate mutating func write(_ node: TreeNode) {
        var emitter = TreeEmitter(node, .export)
        while emitter.emit(into: &self) {}
    }
}

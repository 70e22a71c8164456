import BrasaTree

extension ServerMessage {
    /// Of a message's text, as a client reads it. Nil for what a client need not know.
    package static func reading(_ text: [UInt8], limits: WireLimits = WireLimits()) throws(WireFault) -> ServerMessage?
    {
        do throws(TreeError) {
            let reader = try EnvelopeReader.read(text, DiscardingSink(), limits)
            let envelope = reader.envelope.value
            guard let content = envelope["d"] else { throw TreeError(.malformedQuery) }
            switch envelope["t"] {
            case .string("c"): return try Self.control(content)
            case .string("d"): return try Self.data(content, text, limits)
            default: throw TreeError(.malformedQuery)
            }
        } catch {
            throw .malformedMessage
        }
    }

    private static func control(_ content: JSONValue) throws(TreeError) -> ServerMessage? {
        switch content["t"] {
        case .string("h"):
            guard let hello = content["d"], case .scalar(.integer(let milliseconds))? = hello["ts"] else {
                throw TreeError(.malformedQuery)
            }
            return .hello(
                milliseconds: milliseconds,
                host: try Self.string(hello, "h"),
                session: try Self.string(hello, "s")
            )
        case .string("r"): return .reset(host: try Self.string(content, "d"))
        case .string("s"): return .shutdown(reason: try Self.string(content, "d"))
        case .string("o"): return .pong
        default: return nil
        }
    }

    private static func data(
        _ content: JSONValue,
        _ text: [UInt8],
        _ limits: WireLimits
    ) throws(TreeError) -> ServerMessage? {
        guard let body = content["b"] else { throw TreeError(.malformedQuery) }
        if case .scalar(.integer(let number))? = content["r"] {
            let status = TreeStatus(rawValue: try Self.string(body, "s")) ?? .error
            let data = try EnvelopeReader.read(text, JSONValueReader(), limits).body.value
            guard case .string(let message) = data else { return .response(number: number, status, .value(data)) }
            return .response(number: number, status, message == "" ? .empty : .text(message.string))
        }
        guard let push = try Self.push(content["a"], body, text, limits) else { return nil }
        return .push(push)
    }

    private static func push(
        _ name: JSONValue?,
        _ body: JSONValue,
        _ text: [UInt8],
        _ limits: WireLimits
    ) throws(TreeError) -> TreePush? {
        var tag: Int64?
        if case .scalar(.integer(let value))? = body["t"] { tag = value }
        switch name {
        case .string("d"):
            let location = try TreeLocation(try Self.string(body, "p"))
            let template = try EnvelopeReader.read(text, TreeReader(at: location.path), limits).body.template
            return .data(location, template?.node ?? .absent, tag: tag)
        case .string("m"):
            let path = try TreePath(try Self.string(body, "p"))
            let entries =
                try EnvelopeReader.read(text, UpdateReader(at: path, pathsMax: .max), limits).body.entries ?? []
            return .merge(path, entries.map { ($0.location, $0.template.node) }, tag: tag)
        case .string("rm"):
            let path = try TreePath(try Self.string(body, "p"))
            let data = try EnvelopeReader.read(text, JSONValueReader(), limits).body.value
            guard case .array(let elements) = data else { throw TreeError(.malformedQuery) }
            var merges: [RangeMerge] = []
            for element in elements { merges.append(try RangeMerge(wire: element)) }
            return .rangeMerges(path, merges, tag: tag)
        case .string("c"):
            let path = try TreePath(try Self.string(body, "p"))
            guard case .array(let queries)? = body["q"], let query = queries.first else {
                return .revoked(TreeTarget(path))
            }
            return .revoked(TreeTarget(path, try TreeQuery(wire: query)))
        case .string("ac"):
            let status = TreeStatus(rawValue: try Self.string(body, "s")) ?? .error
            // The reason stands where other pushes have data.
            let reason = try EnvelopeReader.read(text, JSONValueReader(), limits).body.value
            guard case .string(let message) = reason else { return .authRevoked(status, reason: "") }
            return .authRevoked(status, reason: message.string)
        default: return nil
        }
    }

    private static func string(_ value: JSONValue, _ name: TreeText) throws(TreeError) -> String {
        guard case .string(let text)? = value[name] else { throw TreeError(.malformedQuery) }
        return text.string
    }
}

import BrasaTree

extension ClientMessage {
    /// Of a message's text. What is no message at all is a fault of the connection; what a request says wrongly is in the
    /// request.
    package init(_ text: [UInt8], limits: WireLimits = WireLimits()) throws(WireFault) {
        let reader: EnvelopeReader<DiscardingSink>
        do throws(TreeError) {
            reader = try EnvelopeReader.read(text, limits)
        } catch {
            throw .malformedMessage
        }
        let envelope = reader.envelope.value
        guard let content = envelope["d"], case .object = content else { throw .malformedMessage }
        switch envelope["t"] {
        case .string("c"): self = content["t"] == .string("p") ? .ping : .control
        case .string("d"):
            guard case .scalar(.integer(let number))? = content["r"] else { throw .malformedMessage }
            let parser = RequestParser(text: text, content: content, hasData: reader.hasBody, limits: limits)
            do throws(TreeRequestFault) {
                self = .request(TreeRequest(number: number, action: .success(try parser.action())))
            } catch {
                self = .request(TreeRequest(number: number, action: .failure(error)))
            }
        default: throw .malformedMessage
        }
    }

    /// Of a message that is longer than its sender's may be, and of which the beginning was kept: a request is refused.
    package init(beginning text: [UInt8], limits: WireLimits = WireLimits()) throws(WireFault) {
        guard let number = EnvelopeReader.number(inBeginning: text, limits) else {
            throw .messageTooLong(bytesMax: text.count)
        }
        self = .request(TreeRequest(number: number, action: .failure(.messageTooLong(bytesMax: text.count))))
    }
}

private struct RequestParser {
    let text: [UInt8]
    let content: JSONValue
    let hasData: Bool
    let limits: WireLimits

    private var body: JSONValue { self.content["b"] ?? .null }

    func action() throws(TreeRequestFault) -> TreeAction {
        guard case .string(let name)? = self.content["a"] else { throw .malformed("a") }
        switch name {
        case "s": return .stats(self.body["c"] ?? .null)
        case "q", "l": return try self.listen()
        case "n", "u": return .unlisten(try self.target(), tag: try self.tag())
        case "p": return .put(try self.put(), hash: try self.string("h"))
        case "m": return .merge(try self.merge(), hash: try self.string("h"))
        case "g": return .get(try self.target())
        case "o": return .onDisconnectPut(try self.put())
        case "om": return .onDisconnectMerge(try self.merge())
        case "oc": return .onDisconnectCancel(try self.location())
        case "auth", "gauth": return try self.authentication(isAdministrator: name == "gauth")
        case "unauth": return .unauthenticate
        case "appcheck": return .appCheck(token: try self.string("token") ?? "")
        // So it is spelled.
        case "unappeck": return .unAppCheck
        default: throw .unknownAction(name.string)
        }
    }

    private func string(_ name: TreeText) throws(TreeRequestFault) -> String? {
        switch self.body[name] {
        case nil, .null?: return nil
        case .string(let text)?: return text.string
        default: throw .malformed(name.string)
        }
    }

    private func tag() throws(TreeRequestFault) -> Int64? {
        switch self.body["t"] {
        case nil, .null?: return nil
        case .scalar(.integer(let tag))?: return tag
        default: throw .malformed("t")
        }
    }

    private func location() throws(TreeRequestFault) -> TreeLocation {
        guard let text = try self.string("p") else { throw .malformed("p") }
        return try self.checked { () throws(TreeError) in try TreeLocation(text) }
    }

    private func checked<Value>(_ body: () throws(TreeError) -> Value) throws(TreeRequestFault) -> Value {
        do throws(TreeError) {
            return try body()
        } catch {
            throw .data(error)
        }
    }

    private func target() throws(TreeRequestFault) -> TreeTarget {
        let location = try self.location()
        guard !location.isPriority else { throw .malformed("p") }
        guard let query = self.body["q"], query != .null else { return TreeTarget(location.path) }
        return try self.checked { () throws(TreeError) in TreeTarget(location.path, try TreeQuery(wire: query)) }
    }

    private func listen() throws(TreeRequestFault) -> TreeAction {
        let target = try self.target()
        let tag = try self.tag()
        // Data without a tag would be taken for all there is at the path, data with one for a window.
        guard (tag == nil) == (target.query == nil) else { throw .malformed("t") }
        let compound: CompoundHash?
        if let value = self.body["ch"], value != .null {
            compound = try self.checked { () throws(TreeError) in try CompoundHash(wire: value) }
        } else {
            compound = nil
        }
        return .listen(target, tag: tag, hash: try self.string("h") ?? "", compound: compound)
    }

    /// The data is gone through now that its place is known.
    private func put() throws(TreeRequestFault) -> TreeWrite {
        let location = try self.location()
        guard self.hasData else { throw .malformed("d") }
        return try self.checked { () throws(TreeError) in
            let reader = try EnvelopeReader.read(self.text, TreeReader(at: location.path), self.limits).body
            return try TreeWrite.set(reader.template ?? TreeTemplate(.absent), at: location)
        }
    }

    private func merge() throws(TreeRequestFault) -> TreeWrite {
        let location = try self.location()
        guard !location.isPriority else { throw .malformed("p") }
        guard self.hasData else { throw .malformed("d") }
        return try self.checked { () throws(TreeError) in
            let reader = try EnvelopeReader.read(self.text, UpdateReader(at: location.path), self.limits).body
            guard let entries = reader.entries else { throw TreeError(.updateNotObject, at: location.path) }
            return try TreeWrite.update(entries, at: location.path)
        }
    }

    private func authentication(isAdministrator: Bool) throws(TreeRequestFault) -> TreeAction {
        guard let token = try self.string("cred") else { throw .malformed("cred") }
        var credential = TreeCredential(token: token, isAdministrator: isAdministrator)
        if self.body["noauth"] == .scalar(.boolean(true)) {
            credential.override = .null
        } else {
            credential.override = self.body["authvar"]
        }
        return .authenticate(credential)
    }
}

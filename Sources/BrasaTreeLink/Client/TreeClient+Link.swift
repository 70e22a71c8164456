import BrasaTree
import BrasaTreeSync
import BrasaTreeWire

// What comes from the network and the clock.

extension TreeClient {
    package mutating func goOnline(_ moment: TreeMoment) -> [ClientOutput] {
        self.handle(self.link.start(uptime: moment.uptime), moment)
        return self.finishStep()
    }

    package mutating func goOffline(_ moment: TreeMoment) -> [ClientOutput] {
        self.handle(self.link.stop(uptime: moment.uptime), moment)
        return self.finishStep()
    }

    package mutating func changeToken(_ moment: TreeMoment) -> [ClientOutput] {
        self.handle(self.link.changeToken(uptime: moment.uptime), moment)
        return self.finishStep()
    }

    package mutating func tokenFetched(
        _ result: Result<String?, LinkTokenError>,
        fetch: Int,
        _ moment: TreeMoment
    ) -> [ClientOutput] {
        self.handle(self.link.tokenFetched(result, fetch: fetch, uptime: moment.uptime), moment)
        return self.finishStep()
    }

    /// One text frame.
    package mutating func receive(_ frame: [UInt8], socket: Int, _ moment: TreeMoment) -> [ClientOutput] {
        self.handle(self.link.receive(frame, socket: socket, uptime: moment.uptime), moment)
        return self.finishStep()
    }

    package mutating func closed(
        socket: Int,
        isUnauthorized: Bool = false,
        reason: String,
        _ moment: TreeMoment
    ) -> [ClientOutput] {
        let actions = self.link.closed(
            socket: socket,
            isUnauthorized: isUnauthorized,
            reason: reason,
            uptime: moment.uptime
        )
        self.handle(actions, moment)
        return self.finishStep()
    }

    package mutating func tick(_ moment: TreeMoment) -> [ClientOutput] {
        if !self.link.isOpen {
            let late = self.gets.filter { $0.value <= moment.uptime }.keys.sorted()
            for id in late {
                self.gets[id] = nil
                _ = self.link.drop { if case .get(id, _) = $0 { true } else { false } }
                self.outputs.append(.answered(.get(id), .offline))
            }
        }
        self.handle(self.link.tick(uptime: moment.uptime), moment)
        return self.finishStep()
    }
}

extension TreeClient {
    mutating func handle(_ actions: [LinkAction], _ moment: TreeMoment) {
        for action in actions {
            switch action {
            case .socket(let action): self.outputs.append(.socket(action))
            case .news(let news): self.handle(news, moment)
            }
        }
    }

    private mutating func handle(_ news: LinkNews, _ moment: TreeMoment) {
        switch news {
        case .serverTime(let milliseconds):
            let (offset, overflow) = milliseconds.subtractingReportingOverflow(moment.milliseconds)
            self.serverTimeOffset = overflow ? 0 : offset
            self.tellInfo(.integer(self.serverTimeOffset), at: InfoTree.serverTimeOffset)
        case .opened:
            self.engine.connect()
            let listens = self.engine.tree.openListens.map { self.listen($0.target, tag: $0.tag) }
            self.handle(self.link.resume(listens, uptime: moment.uptime), moment)
            self.tellInfo(.boolean(true), at: InfoTree.connected)
        case .lost(let unsent):
            for id in self.gets.keys { self.gets[id] = moment.uptime + Self.getPatience }
            self.tellInfo(.boolean(false), at: InfoTree.connected)
            let time = self.serverTime(moment)
            self.handle(self.engine.disconnect(milliseconds: time, unsentPuts: unsent), moment)
        case .pushed(let push): self.take(push, moment)
        case .answered(let request, let status, let data): self.take(request, status, data, moment)
        }
    }

    private mutating func tellInfo(_ scalar: TreeScalar, at path: TreePath) {
        self.outputs += self.info.set(scalar, at: path).map { .event($0, .info) }
    }

    private mutating func take(_ push: TreePush, _ moment: TreeMoment) {
        let time = self.serverTime(moment)
        switch push {
        case .data(let location, let node, let tag):
            let placement = TreeChange.Placement(location: location, node: node)
            let change = TreeChange(path: location.path, isUpdate: false, placements: [placement])
            self.handle(self.engine.receive(change, tag: tag.map(Int.init), milliseconds: time), moment)
        case .merge(let path, let parts, let tag):
            let placements = parts.map { part in
                let location = TreeLocation(path.appending(part.location.path), isPriority: part.location.isPriority)
                return TreeChange.Placement(location: location, node: part.node)
            }
            guard !placements.isEmpty else { return }
            let change = TreeChange(path: path, isUpdate: true, placements: placements)
            self.handle(self.engine.receive(change, tag: tag.map(Int.init), milliseconds: time), moment)
        case .rangeMerges(let path, let merges, let tag):
            let tag = tag.map(Int.init)
            self.handle(self.engine.receive(merges, at: path, tag: tag, milliseconds: time), moment)
        case .revoked(let target):
            self.handle(self.engine.refuse(target, status: TreeStatus.permissionDenied.rawValue), moment)
        case .authRevoked: break
        }
    }

    private mutating func take(
        _ request: LinkRequest,
        _ status: TreeStatus,
        _ data: ResponseData,
        _ moment: TreeMoment
    ) {
        switch request {
        case .listen(let target, _, _, _):
            let effects =
                status == .ok
                ? self.engine.completeListen(target) : self.engine.refuse(target, status: status.rawValue)
            self.handle(effects, moment)
        case .unlisten(let target, _): self.engine.completeClose(target)
        case .write(let id, _):
            self.handle(self.engine.answerWrite(id, isDone: status == .ok), moment)
            self.outputs.append(.answered(.write(id), TreeAnswer(status, data)))
        case .transaction(let put, _, _):
            let time = self.serverTime(moment)
            self.handle(self.engine.answerTransaction(put: put, status: status.rawValue, milliseconds: time), moment)
        case .onDisconnect(let id, let request):
            if status == .ok { self.keep(request) }
            self.outputs.append(.answered(.onDisconnect(id), TreeAnswer(status, data)))
        case .get(let id, _):
            guard self.gets.removeValue(forKey: id) != nil else { return }
            self.outputs.append(.answered(.get(id), TreeAnswer(getting: status, data)))
        }
    }

    /// What the server will write is shown as soon as the connection has gone.
    private mutating func keep(_ request: DisconnectRequest) {
        switch request {
        case .write(let write): self.engine.onDisconnect.add(write)
        case .cancel(let path): self.engine.onDisconnect.cancel(at: TreeLocation(path))
        }
    }
}

extension TreeAnswer {
    fileprivate init(_ status: TreeStatus, _ data: ResponseData) {
        guard status != .ok else {
            self = .done
            return
        }
        if case .text(let message) = data {
            self = .refused(status: status.rawValue, message: message)
        } else {
            self = .refused(status: status.rawValue, message: nil)
        }
    }

    /// What was found is a value; of a text that is a value nothing says that it is no message.
    fileprivate init(getting status: TreeStatus, _ data: ResponseData) {
        guard status == .ok else {
            self.init(status, data)
            return
        }
        let value: JSONValue =
            switch data {
            case .empty: ""
            case .text(let text): .string(TreeText(text))
            case .value(let value): value
            case .node(let node): node.json(.export)
            }
        do throws(TreeError) {
            self = .node(try TreeTemplate(value).node)
        } catch {
            self = .refused(status: TreeStatus.error.rawValue, message: error.description)
        }
    }
}

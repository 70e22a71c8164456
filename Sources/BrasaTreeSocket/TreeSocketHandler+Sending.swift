import BrasaIdentity
import BrasaTree
import BrasaTreeEngine
package import BrasaTreeWatch
import BrasaTreeWire
package import NIOCore
import NIOWebSocket

/// What goes out, and what waits until the socket takes it.
extension TreeSocketHandler {
    /// Whether what is to be sent has to wait.
    var isHeld: Bool { !self.outbox.isEmpty || !(self.context?.channel.isWritable ?? false) }

    func send(_ text: [UInt8]) {
        guard let context = self.context, !self.isClosing else { return }
        let frame = WebSocketFrame(fin: true, opcode: .text, data: ByteBuffer(bytes: text))
        context.write(self.wrapOutboundOut(frame), promise: self.promise(text.count, context))
        self.unflushedBytes += text.count
        if self.unflushedBytes > Self.unflushedBytesMax { self.flush() }
    }

    /// Of a long message's frame: how far the client takes it says that it is there, and what it has not taken is kept.
    private func promise(_ bytes: Int, _ context: ChannelHandlerContext) -> EventLoopPromise<Void>? {
        guard bytes >= Self.longFrameBytes else { return nil }
        self.kept.outgoing += bytes
        self.drawKept()
        let promise = context.eventLoop.makePromise(of: Void.self)
        promise.futureResult.whenSuccess {
            guard !self.isClosing else { return }
            self.connection.progressed(milliseconds: self.door.milliseconds)
            self.kept.outgoing -= bytes
            self.drawKept()
        }
        return promise
    }

    package func flush() {
        self.unflushedBytes = 0
        self.context?.flush()
    }

    func respond(_ ticket: TreeRequest.Ticket, _ status: TreeStatus, _ data: ResponseData = .empty) {
        guard !self.isClosing else { return }
        guard !self.isHeld else { return self.outbox.hold(ticket, status, data) }
        self.perform(self.connection.respond(ticket, status, data))
    }

    func push(_ push: TreePush) {
        for text in TreeConnection.frames(of: push) { self.send(text) }
    }

    /// A target is shown as it is now: at once, or when the socket takes it.
    func show(_ target: TreeTarget, _ push: TreePush) {
        if self.isHeld { self.outbox.note(target) } else { self.push(push) }
    }

    package func told(_ telling: TreeTelling) {
        let target = telling.notice.target
        guard !self.isClosing, let tag = self.tags[target] else { return }
        guard !self.isHeld else {
            self.outbox.note(target)
            return self.updateReading()
        }
        if let frames = telling.encodings[tag.value] {
            for text in frames { self.send(text) }
            return
        }
        let frames = TreeConnection.frames(of: TreePush(telling.notice.event, tag.value))
        telling.encodings[tag.value] = frames
        for text in frames { self.send(text) }
    }

    func endListen(_ target: TreeTarget) {
        self.mark(target, nil)
        self.connection.end(target)
    }

    /// Nil for a listen that is over.
    func mark(_ target: TreeTarget, _ tag: Tag?) {
        let old = self.tags[target]
        self.tags[target] = tag
        _ = self.claim?.setListeners(self.tags.count)
        self.kept.listens += ((tag == nil ? 0 : 1) - (old == nil ? 0 : 1)) * target.keptBytes
    }

    package func channelWritabilityChanged(context: ChannelHandlerContext) {
        while !self.isClosing, context.channel.isWritable, let item = self.outbox.next() {
            switch item {
            case .target(let target):
                guard let tag = self.tags[target], let node = self.session?.shown(target) else { continue }
                guard node.estimate <= self.door.readBounds.shownBytesMax else {
                    self.session?.unlisten(target)
                    self.endListen(target)
                    self.push(.revoked(target))
                    continue
                }
                self.push(.data(TreeLocation(target.path), node, tag: tag.value))
            case .answer(let ticket, let status, let data):
                self.perform(self.connection.respond(ticket, status, data))
            }
        }
        self.resume()
        self.flush()
        context.fireChannelWritabilityChanged()
    }
}

extension WebSocketErrorCode {
    /// As registered with IANA.
    static let tryAgainLater = WebSocketErrorCode(codeNumber: 1013)
}

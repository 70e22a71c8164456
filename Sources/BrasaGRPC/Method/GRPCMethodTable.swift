internal import BrasaHTTP2
package import NIOCore

/// The methods that a server answers. Filled at start, then copied into `GRPCServer` and never changed; a path is looked
/// up by its bytes without making a String.
package struct GRPCMethodTable: Sendable {
    /// How a method is answered. All run on the call's event loop; the call may be finished at any later time there.
    package enum Handler: Sendable {
        /// Called with the request message once the client has ended its side.
        case unary(@Sendable (GRPCServerCall, ByteBuffer) -> Void)
        /// Like `unary`. The handler hears of room to send more, and of cancellation; nil when the call is finished already.
        case serverStreaming(@Sendable (GRPCServerCall, ByteBuffer) -> (any GRPCServerStreamHandler)?)
        /// Called with the request headers; messages go to the handler. Client streaming is this as well.
        case bidirectional(@Sendable (GRPCServerCall) -> any GRPCServerStreamHandler)
    }

    final class Method: Sendable {
        let descriptor: GRPCMethodDescriptor
        /// The descriptor's, without a copy of its texts.
        let kind: GRPCMethodKind
        let handler: Handler
        let path: [UInt8]
        /// Its place among the methods of the table.
        let index: Int
        /// Nil: the server's limit.
        let messageBytesMax: Int?
        /// What is answered to a larger message.
        let messageTooLarge: GRPCStatus?

        init(_ descriptor: GRPCMethodDescriptor, at index: Int, messageBytesMax: Int?, _ handler: Handler) {
            self.descriptor = descriptor
            self.kind = descriptor.kind
            self.index = index
            self.messageBytesMax = messageBytesMax
            self.messageTooLarge = messageBytesMax.map { .messageTooLarge($0) }
            self.handler = handler
            self.path = Array(descriptor.path.utf8)
        }

        func isAt(_ path: UnsafeRawBufferPointer) -> Bool {
            self.path.withUnsafeBytes { $0.isEqual(to: path) }
        }
    }

    private var methods: [Method] = []
    /// A hash table with linear probing: index of the method plus one, or 0. A power of two, at most a quarter full.
    private var slots: [UInt32] = [0, 0, 0, 0]

    package init() {}

    var count: Int { self.methods.count }

    package var descriptors: [GRPCMethodDescriptor] { self.methods.map(\.descriptor) }

    /// Full names of the services, in the order in which they came.
    package var services: [String] {
        var seen: Set<String> = []
        return self.methods.map(\.descriptor.service).filter { seen.insert($0).inserted }
    }

    /// Traps when the method is there already or the handler is of another kind: both are mistakes of the program.
    ///
    /// - Parameter messageBytesMax: the largest request message where the method needs less than the server allows.
    package mutating func register(
        _ descriptor: GRPCMethodDescriptor,
        messageBytesMax: Int? = nil,
        _ handler: Handler
    ) {
        switch (descriptor.kind, handler) {
        case (.unary, .unary), (.serverStreaming, .serverStreaming): break
        case (.clientStreaming, .bidirectional), (.bidirectional, .bidirectional): break
        default: preconditionFailure("\(descriptor.path) is registered with a handler of another kind")
        }
        let method = Method(descriptor, at: self.methods.count, messageBytesMax: messageBytesMax, handler)
        precondition(self.method(at: method.path[...]) == nil, "\(descriptor.path) is registered twice")
        self.methods.append(method)
        if self.methods.count * 4 > self.slots.count { self.grow() } else { self.place(self.methods.count - 1) }
    }

    func method(at path: ArraySlice<UInt8>) -> Method? {
        path.withUnsafeBytes { self.method(at: $0) }
    }

    func method(at path: UnsafeRawBufferPointer) -> Method? {
        let mask = self.slots.count - 1
        var slot = Self.hash(path) & mask
        while self.slots[slot] != 0 {
            let method = self.methods[Int(self.slots[slot]) - 1]
            if method.isAt(path) { return method }
            slot = (slot + 1) & mask
        }
        return nil
    }

    private mutating func grow() {
        self.slots = Array(repeating: 0, count: self.slots.count * 4)
        for index in self.methods.indices { self.place(index) }
    }

    private mutating func place(_ index: Int) {
        let mask = self.slots.count - 1
        var slot = self.methods[index].path.withUnsafeBytes { Self.hash($0) } & mask
        while self.slots[slot] != 0 { slot = (slot + 1) & mask }
        self.slots[slot] = UInt32(truncatingIfNeeded: index + 1)
    }

    /// Of the path's last sixteen bytes, which tell methods apart, and of its length. A hostile path can hit a long probe,
    /// never an endless one, as the table is mostly empty.
    private static func hash(_ path: UnsafeRawBufferPointer) -> Int {
        guard path.count >= 16 else { return path.count }
        let (first, last) = (path.word(at: path.count - 16), path.word(at: path.count - 8))
        let hash = (first ^ UInt64(path.count)) &* 0x9e37_79b9_7f4a_7c15 ^ last &* 0xc2b2_ae3d_27d4_eb4f
        return Int(hash >> 32)
    }
}

import BrasaHTTP2
import NIOCore
import Testing

@testable import BrasaGRPC

@Suite struct HealthTests {
    private static func request(_ service: String) -> [UInt8] {
        var writer = ProtobufWriter()
        writer.write(1, string: service)
        return writer.bytes
    }

    @Test func `Check answers what was set, and NOT_FOUND for what was not`() throws {
        let health = HealthService(statuses: ["": .serving])
        let loopback = try Loopback { health.register(in: &$0) }
        defer { loopback.close() }
        #expect(try loopback.unary(HealthService.check)?.get() == [8, 1])
        health.set(.notServing, for: "a.B")
        #expect(try loopback.unary(HealthService.check, Self.request("a.B"))?.get() == [8, 2])
        guard case .failure(let unknown) = try loopback.unary(HealthService.check, Self.request("x")) else {
            return #expect(Bool(false))
        }
        #expect(unknown.status.code == .notFound)
        guard case .failure(let malformed) = try loopback.unary(HealthService.check, [0x0A, 9, 1]) else {
            return #expect(Bool(false))
        }
        #expect(malformed.status.code == .invalidArgument)
    }

    @Test func `Watch tells the status and every change of it`() throws {
        let health = HealthService()
        let loopback = try Loopback { health.register(in: &$0) }
        defer { loopback.close() }
        let recorder = ResponseRecorder()
        let call = loopback.grpc.serverStreaming(
            loopback.grpc.request(HealthService.watch),
            ByteBuffer(bytes: Self.request("a.B")),
            handler: recorder
        )
        try loopback.run()
        #expect(recorder.messages == [[8, 3]])
        for status in [HealthStatus.serving, .serving, .notServing] {
            health.set(status, for: "a.B")
            health.set(.serving, for: "other")
            try loopback.run()
        }
        #expect(recorder.messages == [[8, 3], [8, 1], [8, 2]])
        call.cancel()
        try loopback.run()
        health.set(.serving, for: "a.B")
        try loopback.run()
        #expect(recorder.messages.count == 3)
    }

    @Test(arguments: [false, true])
    func `Watch ends when the server drains`(isOnItsWay: Bool) throws {
        let health = HealthService(statuses: ["": .serving])
        let loopback = try Loopback { health.register(in: &$0) }
        defer { loopback.close() }
        let recorder = ResponseRecorder()
        loopback.grpc.serverStreaming(
            loopback.grpc.request(HealthService.watch),
            ByteBuffer(),
            handler: recorder
        )
        if !isOnItsWay { try loopback.run() }
        loopback.serverHTTP2.drain(grace: .seconds(60))
        try loopback.run()
        #expect(recorder.results.map(\.status.code) == [.unavailable])
        #expect(!loopback.isServerOpen)
    }
}

@Suite struct ReflectionTests {
    private static let talk = GRPCMethodDescriptor(
        service: "grpc.reflection.v1.ServerReflection",
        method: "ServerReflectionInfo",
        kind: .bidirectional
    )

    /// The numbers and texts in an answer, by the path of fields that leads to them.
    private static func fields(_ bytes: [UInt8], _ path: [UInt32]) throws -> [[UInt8]] {
        var found: [[UInt8]] = []
        var reader = ProtobufReader(bytes[...])
        while let (field, value) = try reader.next() {
            guard field == path[0] else { continue }
            switch value {
            case .bytes(let inner):
                found += path.count == 1 ? [Array(inner)] : try Self.fields(Array(inner), Array(path[1...]))
            case .varint(let number): found.append([UInt8(truncatingIfNeeded: number)])
            case .fixed: break
            }
        }
        return found
    }

    private static func texts(_ bytes: [UInt8], _ path: UInt32...) throws -> [String] {
        try Self.fields(bytes, path).map { String(decoding: $0, as: UTF8.self) }
    }

    /// Two files of which the second imports the first; nested types, an enum and an extension.
    private static let descriptorSet: [UInt8] = {
        var base = ProtobufWriter()
        base.write(1, string: "base.proto")
        base.write(2, string: "shop")
        base.write(4) { message in
            message.write(1, string: "Item")
            message.write(2) { $0.write(1, string: "price") }
            message.write(3) { nested in
                nested.write(1, string: "Part")
                nested.write(4) { inner in
                    inner.write(1, string: "Colour")
                    inner.write(2) { $0.write(1, string: "RED") }
                }
            }
        }
        var top = ProtobufWriter()
        top.write(1, string: "top.proto")
        top.write(2, string: "shop")
        top.write(3, string: "base.proto")
        top.write(3, string: "missing.proto")
        top.write(6) { service in
            service.write(1, string: "Till")
            service.write(2) { $0.write(1, string: "Pay") }
        }
        top.write(7) { field in
            field.write(1, string: "note")
            field.write(2, string: ".shop.Item")
            field.write(3, varint: 126)
        }
        var set = ProtobufWriter()
        set.write(1, message: base.bytes)
        set.write(1, message: top.bytes)
        return set.bytes
    }()

    private func ask(_ field: UInt32, _ text: String, times: Int = 1) throws -> [[UInt8]] {
        let reflection = try ReflectionService(fileDescriptorSets: [Self.descriptorSet])
        let loopback = try Loopback { reflection.register(in: &$0) }
        defer { loopback.close() }
        let recorder = ResponseRecorder()
        let call = loopback.grpc.bidirectional(loopback.grpc.request(Self.talk), handler: recorder)
        var request = ProtobufWriter()
        request.write(1, string: "host")
        request.write(field, message: Array(text.utf8))
        for _ in 0..<times { call.send(ByteBuffer(bytes: request.bytes)) }
        call.halfClose()
        try loopback.run()
        #expect(recorder.results.map(\.status) == [.ok])
        #expect(try Self.fields(recorder.messages[0], [2]) == [request.bytes])
        #expect(try Self.texts(recorder.messages[0], 1) == ["host"])
        return recorder.messages
    }

    @Test func `Services are listed as they were registered`() throws {
        let answer = try self.ask(7, "")[0]
        #expect(
            try Self.texts(answer, 6, 1, 1) == [
                "test.Service", "grpc.reflection.v1.ServerReflection", "grpc.reflection.v1alpha.ServerReflection",
            ]
        )
    }

    @Test(arguments: [
        ("shop.Till", ["top.proto", "base.proto"]), ("shop.Till.Pay", ["top.proto", "base.proto"]),
        ("shop.Item.Part", ["base.proto"]), ("shop.Item.Part.Colour", ["base.proto"]),
        ("shop.Item.Part.RED", ["base.proto"]), ("shop.Item.price", ["base.proto"]),
        ("shop.note", ["top.proto", "base.proto"]), ("grpc.health.v1.Health", ["grpc/health/v1/health.proto"]),
        ("grpc.reflection.v1.ServerReflection", ["grpc/reflection/v1/reflection.proto"]),
    ])
    func `A symbol's file comes with what it imports`(symbol: String, files: [String]) throws {
        #expect(try Self.texts(try self.ask(4, symbol)[0], 4, 1, 1) == files)
    }

    @Test func `Files come by name, and imports once per stream`() throws {
        let answers = try self.ask(3, "top.proto", times: 2)
        #expect(try Self.texts(answers[0], 4, 1, 1) == ["top.proto", "base.proto"])
        #expect(try Self.texts(answers[1], 4, 1, 1) == ["top.proto"])
    }

    @Test func `Extensions are found by message and number`() throws {
        var question = ProtobufWriter()
        question.write(1, string: "shop.Item")
        question.write(2, varint: 126)
        let text = String(decoding: question.bytes, as: UTF8.self)
        #expect(try Self.texts(try self.ask(5, text)[0], 4, 1, 1) == ["top.proto", "base.proto"])
        #expect(try Self.fields(try self.ask(6, "shop.Item")[0], [5, 2]) == [[126]])
        #expect(try Self.fields(try self.ask(6, "shop.Till")[0], [5, 2]) == [])
    }

    @Test(arguments: [(3 as UInt32, "none.proto"), (4, "shop.None"), (6, "shop.None"), (5, "")])
    func `What is unknown is NOT_FOUND in the answer, and the stream goes on`(field: UInt32, text: String) throws {
        let answers = try self.ask(field, text, times: 2)
        for answer in answers { #expect(try Self.fields(answer, [7, 1]) == [[5]]) }
        #expect(answers.count == 2)
    }

    @Test(arguments: [false, true])
    func `A stream ends when the server drains`(isOnItsWay: Bool) throws {
        let reflection = try ReflectionService(fileDescriptorSets: [])
        let loopback = try Loopback { reflection.register(in: &$0) }
        defer { loopback.close() }
        let recorder = ResponseRecorder()
        let call = loopback.grpc.bidirectional(loopback.grpc.request(Self.talk), handler: recorder)
        if !isOnItsWay { try loopback.run() }
        loopback.serverHTTP2.drain(grace: .seconds(60))
        try loopback.run()
        #expect(recorder.results.map(\.status.code) == [.unavailable])
        #expect(call.isFinished && !loopback.isServerOpen)
    }

    @Test func `A malformed question ends the stream with INVALID_ARGUMENT`() throws {
        let reflection = try ReflectionService(fileDescriptorSets: [])
        let loopback = try Loopback { reflection.register(in: &$0) }
        defer { loopback.close() }
        let recorder = ResponseRecorder()
        let call = loopback.grpc.bidirectional(loopback.grpc.request(Self.talk), handler: recorder)
        call.send(ByteBuffer(bytes: [0x1A, 200, 1]))
        try loopback.run()
        #expect(recorder.results.map(\.status.code) == [.invalidArgument])
    }

    @Test func `Descriptor sets that are cut anywhere are refused or read, never trapped on`() {
        let whole = Self.descriptorSet
        for count in 0..<whole.count {
            _ = try? ReflectionService(fileDescriptorSets: [Array(whole[..<count])])
            var damaged = whole
            damaged[count] ^= 0xFF
            _ = try? ReflectionService(fileDescriptorSets: [damaged])
        }
        #expect(throws: ReflectionService.MalformedDescriptors.self) {
            try ReflectionService(fileDescriptorSets: [[0x0A, 0xFF]])
        }
    }
}

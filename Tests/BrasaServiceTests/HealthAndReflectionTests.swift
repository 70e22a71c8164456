import BrasaGRPC
import BrasaHTTP2
import BrasaIdentity
import BrasaMessages
import BrasaStatus
import BrasaWire
import Testing

@testable import BrasaService

@Suite struct HealthTests {
    private func check(_ name: String, on service: ServiceUnderTest) throws -> ServiceCall<HealthCheckResponse> {
        let call = ServiceCall<HealthCheckResponse>(HealthMethods.check, on: service)
        call.send(HealthCheckRequest(service: name), isLast: true)
        try service.run()
        return call
    }

    private func watch(_ name: String, on service: ServiceUnderTest) -> ServiceCall<HealthCheckResponse> {
        let call = ServiceCall<HealthCheckResponse>(HealthMethods.watch, on: service)
        call.send(HealthCheckRequest(service: name), isLast: true)
        return call
    }

    @Test func `Check answers what was set, and NOT_FOUND for what was not`() throws {
        let service = try ServiceUnderTest()
        defer { service.close() }
        #expect(try self.check("", on: service).responses.map(\.status) == [.serving])
        #expect(try self.check("a.B", on: service).status?.code == .notFound)
        service.health.set(.notServing, for: "a.B")
        #expect(try self.check("a.B", on: service).responses.map(\.status) == [.notServing])
    }

    @Test(arguments: [HealthMethods.check, HealthMethods.watch])
    func `What is no message of the method is INVALID_ARGUMENT`(_ method: GRPCMethodDescriptor) throws {
        let service = try ServiceUnderTest()
        defer { service.close() }
        let call = ServiceCall<HealthCheckResponse>(method, on: service)
        call.send([0x0A, 9, 1])
        call.finish()
        try service.run()
        #expect(call.status?.code == .invalidArgument)
    }

    @Test func `Watch tells the status and every change of it`() throws {
        let service = try ServiceUnderTest()
        defer { service.close() }
        let call = self.watch("a.B", on: service)
        try service.run()
        #expect(call.responses.map(\.status) == [.serviceUnknown])
        for status in [ServingStatus.serving, .serving, .notServing] {
            service.health.set(status, for: "a.B")
            service.health.set(.serving, for: "other")
            try service.run()
        }
        #expect(call.responses.map(\.status) == [.serviceUnknown, .serving, .notServing])
        service.health.setAll(.serving)
        try service.run()
        #expect(call.responses.count == 4)
        call.cancel()
        try service.run()
        service.health.set(.notServing, for: "a.B")
        try service.run()
        #expect(call.responses.count == 4)
    }

    @Test(arguments: [false, true])
    func `Watch ends when the server drains`(isOnItsWay: Bool) throws {
        let service = try ServiceUnderTest()
        defer { service.close() }
        let call = self.watch("", on: service)
        if !isOnItsWay { try service.run() }
        service.drain()
        try service.run()
        #expect(call.status?.code == .unavailable)
        #expect(!service.isServerOpen)
    }

    @Test func `A watched name is short and counted`() throws {
        let budget = ByteBudget(bytesMax: 8 << 20)
        let service = try ServiceUnderTest(budget: budget)
        let calls = (0..<100).map { _ in self.watch(String(repeating: "x", count: 900), on: service) }
        try service.run()
        #expect(calls.allSatisfy { $0.responses.map(\.status) == [.serviceUnknown] })
        #expect(budget.drawnBytes > 100 * (900 + 512))
        let long = self.watch(String(repeating: "x", count: 1100), on: service)
        try service.run()
        #expect(long.status == GRPCStatus(.invalidArgument, "Request payload size exceeds the limit: 1024 bytes."))
        service.close()
        #expect(budget.drawnBytes == 0)
    }
}

@Suite struct ReflectionTests {
    private typealias Question = ServerReflectionRequest.Question
    private typealias Answer = ServerReflectionResponse.Answer

    /// Two files of which the second imports the first, and another that nobody has.
    private static let files: [FileDescription] = {
        var base = FileDescription(name: "base.proto", bytes: [1])
        base.symbols = ["shop.Item", "shop.Item.price"]
        var top = FileDescription(name: "top.proto", bytes: [2])
        top.dependencies = ["base.proto", "missing.proto"]
        top.symbols = ["shop.Till", "shop.Till.Pay", "shop.note"]
        top.extensions = [.init(message: "shop.Item", number: 126)]
        return [base, top]
    }()

    private func ask(_ question: Question?, times: Int = 1, version: GRPCMethodDescriptor? = nil) throws -> [Answer] {
        let service = try ServiceUnderTest(reflection: Self.files)
        defer { service.close() }
        let method = version ?? ReflectionMethods.serverReflectionInfo
        let call = ServiceCall<ServerReflectionResponse>(method, on: service)
        let request = ServerReflectionRequest(host: "host", question: question)
        for _ in 0..<times { call.send(request) }
        call.finish()
        try service.run()
        #expect(call.status == .ok)
        #expect(call.responses.allSatisfy { $0.request == request })
        return call.responses.map(\.answer)
    }

    @Test(arguments: [ReflectionMethods.serverReflectionInfo, ReflectionAlphaMethods.serverReflectionInfo])
    func `Services are listed as they were added to the door`(_ version: GRPCMethodDescriptor) throws {
        let services = [
            FirestoreMethods.service, AdminMethods.service, HealthMethods.service, ReflectionMethods.service,
            ReflectionAlphaMethods.service,
        ]
        #expect(try self.ask(.services("*"), version: version) == [.services(services)])
    }

    @Test(arguments: [
        ("shop.Till", [2, 1]), ("shop.Till.Pay", [2, 1]), ("shop.note", [2, 1]), ("shop.Item", [1]),
        ("shop.Item.price", [1]),
    ])
    func `A symbol's file comes with what it imports`(symbol: String, files: [UInt8]) throws {
        #expect(try self.ask(.fileContainingSymbol(symbol)) == [.files(files.map { [$0] })])
    }

    @Test func `Files come by name, and imports once per stream`() throws {
        #expect(try self.ask(.fileByName("top.proto"), times: 2) == [.files([[2], [1]]), .files([[2]])])
    }

    @Test func `Extensions are found by message and number`() throws {
        let asked = Question.fileContainingExtension(message: "shop.Item", number: 126)
        #expect(try self.ask(asked) == [.files([[2], [1]])])
        let numbers = try ["shop.Item", "shop.Till"].map { try self.ask(.extensionNumbers(message: $0)) }
        #expect(numbers[0] == [.extensionNumbers(message: "shop.Item", [126])])
        #expect(numbers[1] == [.extensionNumbers(message: "shop.Till", [])])
    }

    @Test(
        arguments: [
            (.fileByName("x"), "File not found: x"), (.fileContainingSymbol("x"), "Symbol not found: x"),
            (.extensionNumbers(message: "x"), "Message not found: x"),
            (.fileContainingExtension(message: "x", number: 1), "Extension not found: x 1"),
        ] as [(ServerReflectionRequest.Question, String)]
    )
    func `What is unknown is NOT_FOUND in the answer, and the stream goes on`(
        _ question: ServerReflectionRequest.Question,
        _ message: String
    ) throws {
        let answers = try self.ask(question, times: 2)
        #expect(answers == [.failure(.notFound, message), .failure(.notFound, message)])
    }

    @Test func `A request that asks nothing is told so`() throws {
        #expect(try self.ask(nil) == [.failure(.invalidArgument, "The request asks nothing")])
    }

    @Test(arguments: [false, true])
    func `A stream ends when the server drains`(isOnItsWay: Bool) throws {
        let service = try ServiceUnderTest()
        defer { service.close() }
        let call = ServiceCall<ServerReflectionResponse>(ReflectionMethods.serverReflectionInfo, on: service)
        if !isOnItsWay { try service.run() }
        service.drain()
        try service.run()
        #expect(call.status?.code == .unavailable)
        #expect(!service.isServerOpen)
    }

    @Test func `A malformed question ends the stream with INVALID_ARGUMENT`() throws {
        let service = try ServiceUnderTest()
        defer { service.close() }
        let call = ServiceCall<ServerReflectionResponse>(ReflectionMethods.serverReflectionInfo, on: service)
        call.send([0x1A, 200, 1])
        try service.run()
        #expect(call.status?.code == .invalidArgument)
    }

    @Test func `Reflection asks for room before it answers`() throws {
        let budget = ByteBudget(bytesMax: 8 << 20)
        let service = try ServiceUnderTest(window: 1000, unreadBytesMax: 200_000, budget: budget)
        let symbol = Question.fileContainingSymbol(String(repeating: "x", count: 15_000))
        let calls = try (0..<60).map { _ in
            let call = ServiceCall<ServerReflectionResponse>(ReflectionMethods.serverReflectionInfo, on: service)
            call.stopReading()
            call.send(ServerReflectionRequest(question: symbol))
            try service.run()
            return call
        }
        #expect(budget.drawnBytes < 600_000)
        for call in calls { call.startReading() }
        try service.run()
        #expect(calls.filter { $0.status?.code == .resourceExhausted }.count > 30)
        #expect(calls.filter { $0.responses.count == 1 }.count > 3)
        let large = ServiceCall<ServerReflectionResponse>(ReflectionMethods.serverReflectionInfo, on: service)
        large.send(ServerReflectionRequest(host: String(repeating: "x", count: 5_000), question: symbol))
        try service.run()
        #expect(large.status == GRPCStatus(.invalidArgument, "Request payload size exceeds the limit: 16384 bytes."))
        service.close()
        #expect(budget.drawnBytes == 0)
    }
}

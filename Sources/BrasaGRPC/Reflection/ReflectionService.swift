internal import NIOCore

/// `grpc.reflection.v1.ServerReflection`, and the same as `v1alpha`: tools ask what services and messages there are.
package struct ReflectionService: Sendable {
    /// The given descriptor sets are no FileDescriptorSets.
    package struct MalformedDescriptors: Error {}

    /// A name or two, which an answer repeats.
    private static let requestBytesMax = 16 << 10

    private let index: DescriptorIndex

    /// The descriptors of this room's own services need not be among them.
    package init(fileDescriptorSets: [[UInt8]]) throws(MalformedDescriptors) {
        do throws(ProtobufReader.Malformed) {
            self.index = try DescriptorIndex(fileDescriptorSets: fileDescriptorSets + [OwnDescriptors.set])
        } catch {
            throw MalformedDescriptors()
        }
    }

    /// The services that are listed are those registered by now, so this comes last.
    package func register(in methods: inout GRPCMethodTable) {
        let descriptors = ["v1", "v1alpha"].map { version in
            GRPCMethodDescriptor(
                service: "grpc.reflection.\(version).ServerReflection",
                method: "ServerReflectionInfo",
                kind: .bidirectional
            )
        }
        let services = methods.services + descriptors.map(\.service)
        let index = self.index
        for descriptor in descriptors {
            methods.register(
                descriptor,
                messageBytesMax: Self.requestBytesMax,
                .bidirectional { call in ReflectionStream(call: call, index: index, services: services) }
            )
        }
    }
}

/// One ServerReflectionInfo call.
final class ReflectionStream: GRPCServerStreamHandler {
    private let call: GRPCServerCall
    private let index: DescriptorIndex
    private let services: [String]
    /// A file is sent as somebody's dependency once per call; who asks for it by name or symbol gets it again.
    private var sentFiles: Set<Int> = []

    init(call: GRPCServerCall, index: DescriptorIndex, services: [String]) {
        self.call = call
        self.index = index
        self.services = services
    }

    func received(message: ByteBuffer) {
        guard let request = try? ReflectionRequest(decoding: message) else {
            return self.call.finish(GRPCStatus(.invalidArgument, "Malformed ServerReflectionRequest"))
        }
        let answer = self.answer(request.question).encoded(answering: request)
        guard self.call.hasRoom(for: answer.count) else { return }
        var response = self.call.makeMessageBuffer(capacity: answer.count)
        response.writeBytes(answer)
        self.call.send(response)
        // Whoever asks without listening waits.
        if !self.call.isWritable { self.call.pauseReading() }
    }

    func halfClosed() { self.call.finish(.ok) }

    func becameWritable() { self.call.resumeReading() }

    func cancelled() {}

    func draining() { self.call.finish(GRPCStatus(.unavailable, "The server is shutting down")) }

    private func answer(_ question: ReflectionRequest.Question?) -> ReflectionAnswer {
        switch question {
        case .services:
            return .services(self.services)
        case .fileByName(let name):
            return self.files(self.index.file(named: name), "File not found: \(name)")
        case .fileContainingSymbol(let symbol):
            return self.files(self.index.file(declaring: symbol), "Symbol not found: \(symbol)")
        case .fileContainingExtension(let message, let number):
            return self.files(
                self.index.file(extending: message, number: number),
                "Extension not found: \(message) \(number)"
            )
        case .extensionNumbers(let message):
            guard let numbers = self.index.extensionNumbers(of: message) else {
                return .failure(.notFound, "Message not found: \(message)")
            }
            return .extensionNumbers(message: message, numbers)
        case nil:
            return .failure(.invalidArgument, "The request asks nothing")
        }
    }

    private func files(_ file: Int?, _ failure: String) -> ReflectionAnswer {
        guard let file else { return .failure(.notFound, failure) }
        let files = self.index.closure(of: file).filter { $0 == file || !self.sentFiles.contains($0) }
        self.sentFiles.formUnion(files)
        return .files(files.map { self.index.files[$0].bytes })
    }
}

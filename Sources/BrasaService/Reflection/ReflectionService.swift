import BrasaIdentity
package import BrasaMessages
import BrasaStatus

/// `grpc.reflection.v1.ServerReflection`, and the same as `v1alpha`: tools ask what services and messages there are. It
/// says nothing of what is stored, and answers those who may see what is of all databases.
package struct ReflectionService: Sendable {
    private let index: DescriptionIndex

    package init(_ files: [FileDescription]) {
        self.index = DescriptionIndex(files)
    }

    /// - Parameter services: full names of those that the call's door leads to.
    package func serverReflectionInfo(
        of services: [String],
        for call: Call<ServerReflectionResponse>
    ) -> RequestObserver<ServerReflectionRequest> {
        if !call.caller.mayInspect { call.finish(.permissionDenied) }
        return ReflectionStream(call, self.index, services: services)
    }
}

/// One ServerReflectionInfo call.
private final class ReflectionStream: RequestObserver<ServerReflectionRequest> {
    private let call: Call<ServerReflectionResponse>
    private let index: DescriptionIndex
    private let services: [String]
    /// A file is sent as somebody's dependency once per call; who asks for it by name or symbol gets it again.
    private var sentFiles: Set<Int> = []

    init(_ call: Call<ServerReflectionResponse>, _ index: DescriptionIndex, services: [String]) {
        self.call = call
        self.index = index
        self.services = services
    }

    override func received(_ request: ServerReflectionRequest, byteCount: Int) {
        let response = ServerReflectionResponse(to: request, self.answer(to: request.question))
        guard self.call.hasRoom(for: response.contentBytes) else { return }
        self.call.send(response)
        // Whoever asks without listening waits.
        if !self.call.isWritable { self.call.pauseReading() }
    }

    override func failed(_ status: Status) { self.call.finish(status) }

    override func halfClosed() { self.call.finish(.ok) }

    override func becameWritable() { self.call.resumeReading() }

    override func draining() { self.call.finish(.shuttingDown) }

    private func answer(to question: ServerReflectionRequest.Question?) -> ServerReflectionResponse.Answer {
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

    private func files(_ file: Int?, _ failure: String) -> ServerReflectionResponse.Answer {
        guard let file else { return .failure(.notFound, failure) }
        let files = self.index.closure(of: file).filter { $0 == file || !self.sentFiles.contains($0) }
        self.sentFiles.formUnion(files)
        return .files(files.map { self.index.files[$0].bytes })
    }
}

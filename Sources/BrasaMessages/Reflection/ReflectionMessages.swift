package import BrasaStatus

/// `grpc.reflection.v1.ServerReflectionRequest`; `v1alpha` is the same.
package struct ServerReflectionRequest: Hashable, Sendable {
    package enum Question: Hashable, Sendable {
        case fileByName(String)
        case fileContainingSymbol(String)
        case fileContainingExtension(message: String, number: Int32)
        case extensionNumbers(message: String)
        /// With any text, which an answer repeats.
        case services(String)
    }

    package var host: String
    /// Nil when the request asks nothing.
    package var question: Question?

    package init(host: String = "", question: Question?) {
        self.host = host
        self.question = question
    }
}

package struct ServerReflectionResponse: Hashable, Sendable {
    package enum Answer: Hashable, Sendable {
        /// Serialized FileDescriptorProtos.
        case files([[UInt8]])
        case extensionNumbers(message: String, [Int32])
        case services([String])
        case failure(StatusCode, String)
    }

    package var request: ServerReflectionRequest
    package var answer: Answer

    package init(to request: ServerReflectionRequest, _ answer: Answer) {
        self.request = request
        self.answer = answer
    }
}

extension ServerReflectionResponse {
    /// About how many bytes of names and files it carries.
    package var contentBytes: Int {
        let request = 2 * self.request.host.utf8.count + (self.request.question?.text.utf8.count ?? 0)
        switch self.answer {
        case .files(let files): return files.reduce(request) { $0 + $1.count + 4 }
        case .extensionNumbers(let message, let numbers): return request + message.utf8.count + 5 * numbers.count
        case .services(let names): return names.reduce(request) { $0 + $1.utf8.count + 4 }
        case .failure(_, let message): return request + message.utf8.count
        }
    }
}

extension ServerReflectionRequest.Question {
    fileprivate var text: String {
        switch self {
        case .fileByName(let text), .fileContainingSymbol(let text), .fileContainingExtension(let text, _),
            .extensionNumbers(let text), .services(let text):
            text
        }
    }
}

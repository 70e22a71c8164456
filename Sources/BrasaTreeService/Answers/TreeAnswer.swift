package import BrasaTree

/// What is answered to a call: a status of HTTP, which is what the Realtime Database's REST has for outcomes, and what it
/// is about. How it travels is the door's.
package struct TreeAnswer: Sendable {
    package var status: Int
    /// Nil for no body.
    package var content: TreeContent?
    package var isPretty = false
    package var etag: String?
    /// The function of a script that is handed the content.
    package var callback: String?
    /// As what a browser is to keep the content.
    package var fileName: String?

    package init(_ status: Int, _ content: TreeContent?) {
        self.status = status
        self.content = content
    }

    package static func error(_ status: Int, _ text: String) -> TreeAnswer {
        let value = JSONValue.object([JSONValue.Member("error", .string(TreeText(text)))])
        return TreeAnswer(status, .text(value.text))
    }

    package static let permissionDenied = TreeAnswer.error(401, "Permission denied")
    static let noData = TreeAnswer.error(400, "Error: No data supplied.")
    static let tooMuchToRead = TreeAnswer.error(
        400,
        "Data requested exceeds the maximum size that can be accessed with a single request."
    )
    package static let tooMuchToWrite = TreeAnswer.error(400, TreeError.tooMuchToWrite)

    /// As text, piece by piece.
    package func output() -> TreeOutput? {
        guard let content = self.content else { return nil }
        guard let callback = self.callback else {
            return TreeOutput(content, isPretty: self.isPretty, after: self.isPretty ? [UInt8(ascii: "\n")] : [])
        }
        return TreeOutput(
            content,
            isPretty: self.isPretty,
            before: Array("/**/\(callback)(".utf8),
            after: Array(");".utf8)
        )
    }
}

/// A call that is answered before anything is done for it.
struct TreeCallRefusal: Error {
    let answer: TreeAnswer

    init(_ answer: TreeAnswer) {
        self.answer = answer
    }

    init(_ text: String) {
        self.answer = .error(400, text)
    }
}

extension TreeAnswer {
    /// Of a path or query that is refused.
    package init(_ error: TreeError) {
        self = .error(400, error.message)
    }

    /// Of a body that is refused. Clients know these texts from the hosted service.
    init(body error: TreeError, isUpdate: Bool) {
        switch error.reason {
        case .tooManyPaths: self = .tooMuchToWrite
        case .json, .invalidKey, .keyTooLong:
            guard !isUpdate else {
                self.init(TreeError(.updateNotObject))
                return
            }
            var text = "Invalid data; couldn't parse JSON object, array, or value."
            if case .json = error.reason {
            } else {
                text += " Perhaps you're using invalid characters in your key names."
            }
            self = .error(400, text)
        default: self.init(error)
        }
    }
}

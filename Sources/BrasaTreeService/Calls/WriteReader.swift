import BrasaPlatform
import BrasaTree

/// Makes a write of a body, a bounded part of it in each turn of the mailbox: others are not kept waiting by a large one.
/// Used on the mailbox only; unchecked, because its turns carry it there.
final class WriteReader: @unchecked Sendable {
    typealias Done = @Sendable (Result<TreeWrite, TreeError>) -> Void

    static let turnBytes = 128 << 10

    private let location: TreeLocation
    private let body: [UInt8]
    private let mailbox: any Mailbox
    private let done: Done
    private var offset = 0
    private var value: JSONScanner<TreeReader>?
    private var update: JSONScanner<UpdateReader>?

    init(
        _ body: [UInt8],
        at location: TreeLocation,
        isUpdate: Bool,
        on mailbox: any Mailbox,
        _ done: @escaping Done
    ) {
        self.location = location
        self.body = body
        self.mailbox = mailbox
        self.done = done
        if isUpdate {
            self.value = nil
            self.update = JSONScanner(UpdateReader(at: location.path))
        } else {
            self.value = JSONScanner(TreeReader(at: location.path))
            self.update = nil
        }
    }

    /// Calls `done` once, before it returns where one turn is enough.
    func run() {
        let end = min(self.offset + Self.turnBytes, self.body.count)
        let piece = Array(self.body[self.offset..<end])
        self.offset = end
        do throws(TreeError) {
            let write = try self.read(piece, isLast: end == self.body.count)
            if let write { return self.done(.success(write)) }
        } catch {
            return self.done(.failure(error))
        }
        self.mailbox.postTurn { self.run() }
    }

    private func read(_ piece: [UInt8], isLast: Bool) throws(TreeError) -> TreeWrite? {
        if var scanner = self.value.take() {
            try scanner.read(piece)
            if isLast {
                let reader = try scanner.finish()
                return try TreeWrite.set(reader.template ?? TreeTemplate(.absent), at: self.location)
            }
            self.value = consume scanner
        } else if var scanner = self.update.take() {
            try scanner.read(piece)
            if isLast {
                let reader = try scanner.finish()
                // `null` removes the node.
                guard let entries = reader.entries else {
                    return try TreeWrite.set(TreeTemplate(.absent), at: self.location)
                }
                return try TreeWrite.update(entries, at: self.location.path)
            }
            self.update = consume scanner
        }
        return nil
    }
}

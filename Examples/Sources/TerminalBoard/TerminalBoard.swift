import BrasaFirestore
import Foundation

/// Shows a collection as a table that follows every change, until Ctrl-C or the time is over.
@main
struct TerminalBoard {
    static func main() async throws {
        let options: BoardOptions
        do {
            options = try BoardOptions(CommandLine.arguments.dropFirst())
        } catch {
            FileHandle.standardError.write(Data("\(error.message)\n\(BoardOptions.usage)\n".utf8))
            exit(2)
        }

        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await show(options) }
            group.addTask { await Interrupts.first() }
            if let seconds = options.seconds {
                group.addTask { try await Task.sleep(for: .seconds(seconds)) }
            }
            // Whichever ends first ends the others; cancelling the loop over snapshots removes its listener.
            try await group.next()
            group.cancelAll()
        }
    }

    static func show(_ options: BoardOptions) async throws {
        let screen = Screen()
        var query: Query = Firestore.firestore().collection(options.collection)
        if let field = options.order { query = query.order(by: field, descending: options.isDescending) }
        // With metadata changes the board also says when it loses the server, and when it has it again.
        for try await snapshot in query.snapshots(includeMetadataChanges: true) {
            screen.draw(Board(snapshot, title: options.collection).text)
        }
    }
}

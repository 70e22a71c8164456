import ArgumentParser
import BrasaFirestore
import Foundation

struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Do what lines of JSON ask for, an answer for each, until the input ends."
    )

    @OptionGroup var database: WorkerDatabase

    func run() async throws {
        let client = WorkerClient(firestore: self.database.open())
        let (decoder, encoder) = (JSONDecoder(), JSONEncoder())
        while let line = readLine() {
            let call = try decoder.decode(WorkerCall.self, from: Data(line.utf8))
            let answer = try encoder.encode(await client.answer(call))
            try FileHandle.standardOutput.write(contentsOf: answer + Data("\n".utf8))
        }
        try await client.firestore.terminate()
    }
}

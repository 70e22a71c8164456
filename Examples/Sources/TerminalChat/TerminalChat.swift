import BrasaDatabase
import Foundation

/// A room to talk in: what is typed is said to everybody who is there, until the input ends (Ctrl-D).
@main
struct TerminalChat {
    @MainActor
    static func main() async {
        let arguments = Array(CommandLine.arguments.dropFirst())
        guard arguments.count == 2 else {
            FileHandle.standardError.write(Data("usage: TerminalChat ROOM NAME\n".utf8))
            exit(2)
        }
        let (room, name) = (arguments[0], arguments[1])

        let terminal = Terminal()
        let place = Database.database().reference().child("rooms").child(room)
        let presence = Presence(at: place.child("here"), as: name, terminal)
        let messages = Messages(at: place.child("messages"), from: name, terminal)
        messages.follow()
        presence.follow()
        for await line in terminal.lines() where !line.isEmpty { messages.say(line) }
        // Ctrl-C or a killed process does without: the server sees the connection end.
        await presence.leave()
    }
}

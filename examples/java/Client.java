import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

/**
 * Publish a reading each 500 ms for 20 s at QoS 1, over a socket, without a library (MQTT 3.1.1,
 * sections 3.1 to 3.4). It connects again after a failure, and sends again, marked as a duplicate,
 * what the broker has not acknowledged.
 */
public final class Client {
    private static final int MESSAGES = 40, INTERVAL_MS = 500, ATTEMPTS = 10;
    private static final int TIMEOUT_MS = 3000, PAUSE_MS = 1000;
    private static final int CONNECT = 0x10, PUBLISH_QOS1 = 0x32, DUPLICATE = 0x08;
    private static final int CONNACK = 0x20, PUBACK = 0x40, DISCONNECT = 0xe0;

    private final String server, identifier, topic;
    private final int port;
    private Socket socket;

    private Client(String server, int port, String identifier, String topic) {
        this.server = server;
        this.port = port;
        this.identifier = identifier;
        this.topic = topic;
    }

    /** A packet of up to 127 bytes behind its header of two. */
    private void send(int type, byte[]... parts) throws IOException {
        int size = 0;
        for (byte[] part : parts)
            size += part.length;
        byte[] packet = new byte[2 + size];
        packet[0] = (byte) type;
        packet[1] = (byte) size;
        int at = 2;
        for (byte[] part : parts) {
            System.arraycopy(part, 0, packet, at, part.length);
            at += part.length;
        }
        OutputStream out = socket.getOutputStream();
        out.write(packet);
        out.flush();
    }

    private static byte[] number(int value) {
        return new byte[] {(byte) (value >> 8), (byte) value};
    }

    private static byte[] text(String value) {
        return value.getBytes(StandardCharsets.UTF_8);
    }

    /** Reads a packet of this type with two bytes behind its header; returns those. */
    private int receive(int type) throws IOException {
        DataInputStream in = new DataInputStream(socket.getInputStream());
        if (in.readUnsignedByte() != type || in.readUnsignedByte() != 2)
            throw new IOException("an unexpected packet");
        return in.readUnsignedShort();
    }

    private void join() throws IOException {
        socket = new Socket();
        socket.setTcpNoDelay(true);
        socket.connect(new InetSocketAddress(server, port), TIMEOUT_MS);
        socket.setSoTimeout(TIMEOUT_MS);
        byte[] name = text(identifier), level = {4, 0, 0, 60}; // 3.1.1, a session that stays, 60 s
        send(CONNECT, number(4), text("MQTT"), level, number(name.length), name);
        if ((receive(CONNACK) & 0xff) != 0)
            throw new IOException("the broker refuses the connection");
    }

    private void publish(int message, int flags) throws IOException {
        byte[] name = text(topic);
        byte[] payload = text("{\"reading\":" + message + ",\"celsius\":21.5}");
        send(PUBLISH_QOS1 | flags, number(name.length), name, number(message), payload);
        while (receive(PUBACK) != message)
            ; // that of an earlier copy
    }

    private void close() throws IOException {
        if (socket != null)
            socket.close();
        socket = null;
    }

    /** Sends a message until it is acknowledged; returns whether it is. */
    private boolean deliver(int message) throws IOException, InterruptedException {
        for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
            try {
                if (socket == null)
                    join();
                publish(message, attempt > 0 ? DUPLICATE : 0);
                return true;
            } catch (IOException error) {
                String reason = error instanceof EOFException ? "closed" : error.getMessage();
                System.out.println("disconnected: " + reason);
                close();
                Thread.sleep(PAUSE_MS);
            }
        }
        return false;
    }

    public static void main(String[] words) throws IOException, InterruptedException {
        if (words.length != 4) {
            System.err.println("usage: Client SERVER PORT ID TOPIC");
            System.exit(2);
        }
        Client client = new Client(words[0], Integer.parseInt(words[1]), words[2], words[3]);
        int acknowledged = 0;
        for (int message = 1; message <= MESSAGES; message++) {
            if (client.deliver(message))
                acknowledged++;
            Thread.sleep(INTERVAL_MS);
        }
        System.out.println(acknowledged + " of " + MESSAGES + " acknowledged");
        if (client.socket != null)
            client.send(DISCONNECT);
        client.close();
        System.exit(acknowledged < MESSAGES ? 1 : 0);
    }
}
